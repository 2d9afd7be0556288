import Model
import Testing

@Suite struct EventHandleTests {
    @Test(arguments: [EventHandle.start, EventHandle(1), EventHandle(.max)])
    func theTextOfAHandleIsReadAgain(handle: EventHandle) {
        #expect(EventHandle(handle.text) == handle)
    }

    @Test(arguments: ["", "-1", "x", "1.5", "9223372036854775808"])
    func otherTextsAreNoHandles(text: String) { #expect(EventHandle(text) == nil) }
}
