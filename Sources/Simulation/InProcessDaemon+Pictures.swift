import Engine
import Model
import Store

extension InProcessDaemon {
    /// Follows what events name, like `PictureWorker`; call it after writes from outside, too. Throws `StoreError`.
    package func followPictures() throws {
        if try pictures?.follow(store) ?? false { inbox.append(.picture(.wanted)) }
    }

    /// Carries out an effect on pictures at once; its outcome waits for the engine. Throws `StoreError`.
    func handle(_ effect: PictureEffect) throws {
        guard let pictures else { return }
        switch effect {
        case .take: inbox.append(.picture(.taken(try pictures.take(at: now.wall))))
        case .settle(let settlement):
            try pictures.settle(settlement, at: now.wall)
            inbox.append(.picture(.settled))
        case .request(let number, let request):
            picturesSent.append((request.url, now))
            inbox.append(.picture(.answered(number: number, pictureNetwork(request), FetchFacts())))
        case .cancel: break
        }
    }
}
