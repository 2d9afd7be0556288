import Testing

@testable import Settings

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.0/25", "192.0.2.127", true),
        ("192.0.2.0/25", "192.0.2.128", false), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
        ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
        ("2001:db8::/33", "2001:db8:8000::1", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
    ])
    func itContainsItsAddresses(range: String, address: String, isIn: Bool) throws {
        let read = try #require(AddressRange(range))
        #expect(read.contains(try #require(IPLiteral(address))) == isIn)
        #expect(AddressRange(read.description) == read)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.1/8", "::/129", "localhost", "10/8",
        "10.0.0.0/8/8",
    ])
    func otherTextIsNone(text: String) { #expect(AddressRange(text) == nil) }

    @Test func aNetworkOfIPv6IsOneClient() {
        func network(_ text: String) -> String? { IPLiteral(text)?.network }
        #expect(network("192.0.2.7") == "192.0.2.7")
        #expect(network("2001:db8:1:2:3::4") == network("2001:db8:1:2::"))
        #expect(network("2001:db8:1:2::") != network("2001:db8:1:3::"))
        #expect(network("::ffff:192.0.2.7") == "192.0.2.7")
    }
}
