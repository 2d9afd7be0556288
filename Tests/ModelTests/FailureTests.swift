import Foundation
import Model
import Testing

@Suite struct FailureTests {
    private func json(_ failure: Failure) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(failure), as: UTF8.self)
    }

    @Test func theProgramsOwnWordsAreStoredAsTheyAreShown() throws {
        let failure = Failure(.network, .connectionLost, "no answer")
        #expect(try json(failure) == #"{"code":"connection_lost","fault":"network","message":"no answer"}"#)
        #expect("\(failure)" == "no answer (network: connection_lost)")
        #expect(failure.hasCode(.connectionLost) && !failure.hasCode(.connect))
    }

    @Test func aWordOfAnotherVersionIsKeptAndShown() throws {
        let stored = #"{"code":"moonstruck","fault":"server","message":"come back"}"#
        let failure = try JSONDecoder().decode(Failure.self, from: Data(stored.utf8))
        #expect("\(failure)" == "come back (server: moonstruck)")
        #expect(try json(failure) == stored)
    }

    @Test(
        arguments: [
            (.tls, true), (.proxyRefused, true), (.badURL, true), (.caFile, true), (.secret, true),
            (.noDescriptors, true), (.timeout, false), (.reset, false), (.outOfMemory, false),
        ] as [(Failure.Code, Bool)])
    func someFailuresTellThatNothingWasSent(code: Failure.Code, isUnsent: Bool) {
        #expect(Failure(.network, code, "").isUnsent == isUnsent)
    }
}
