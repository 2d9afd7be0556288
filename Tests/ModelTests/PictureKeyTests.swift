import Model
import Testing

@Suite struct PictureKeyTests {
    /// The vectors of RFC 4648 §10, and bytes that base64 writes with `+` and `/`.
    @Test(arguments: [
        ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ("~~~???", "fn5-Pz8_"), ("https://a.example/ä.png", "aHR0cHM6Ly9hLmV4YW1wbGUvw6QucG5n"),
    ])
    func theKeyIsTheLinkInBase64url(link: String, key: String) {
        #expect(PictureKey.of(link) == key)
        #expect(PictureKey.isKey(key))
    }

    @Test(arguments: ["", "x", "Zg==", "../x", "a+b/", "Zm9vé"])
    func otherTextsAreNoKeys(text: String) { #expect(!PictureKey.isKey(text)) }
}
