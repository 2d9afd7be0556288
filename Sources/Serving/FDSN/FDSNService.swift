/// The fixed documents of the service.
enum FDSNService {
    /// The implemented version: 1.2 of the specification, with a number of our own.
    static let version = "1.2.0"

    /// The path of the service.
    static let path = "/fdsnws/event/1/"

    /// The description for programs (Web Application Description Language).
    static func wadl(base: String) -> String {
        let types = FDSNFormat.allCases.map { "<representation mediaType=\"\(mediaType($0.mediaType))\"/>" }
        return XMLText.declaration
            + """
            <application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema">
            <resources base="\(XMLText.escaped(base + path))">
            <resource path="query"><method name="GET" id="query">
            <request>
            \(FDSNParameter.all.map(parameter).joined(separator: "\n"))
            </request>
            <response status="200">\(types.joined())</response>
            <response status="204"/>
            <response status="400 404 413 500 503"><representation mediaType="text/plain"/></response>
            </method></resource>
            \(resource("count", "text/plain"))
            \(resource("catalogs", "application/xml"))
            \(resource("contributors", "application/xml"))
            \(resource("version", "text/plain"))
            \(resource("application.wadl", "application/xml"))
            </resources>
            </application>

            """
    }

    private static func parameter(_ parameter: FDSNParameter) -> String {
        let usual = parameter.usual.map { " default=\"\(XMLText.escaped($0))\"" } ?? ""
        let choices = parameter.choices.map { "<option value=\"\(XMLText.escaped($0))\"/>" }.joined()
        return "<param name=\"\(parameter.name)\" style=\"query\" type=\"\(parameter.kind.rawValue)\"\(usual)>"
            + XMLText.element("doc", parameter.words) + choices + "</param>"
    }

    private static func resource(_ path: String, _ type: String) -> String {
        "<resource path=\"\(path)\"><method name=\"GET\" id=\"\(path)\"><response status=\"200\">"
            + "<representation mediaType=\"\(type)\"/></response></method></resource>"
    }

    private static func mediaType(_ type: String) -> Substring { type.prefix { $0 != ";" } }

    /// A document such as `<Catalogs><Catalog>quakes</Catalog></Catalogs>`.
    static func list(_ name: String, of values: [String]) -> String {
        XMLText.declaration + "<\(name)s>" + values.map { XMLText.element(name, $0) }.joined() + "</\(name)s>\n"
    }
}
