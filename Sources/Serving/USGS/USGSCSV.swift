import Model
import Presenting
import Reading

/// Events as records of CSV with the columns of USGS (earthquake.usgs.gov/earthquakes/feed/v1.0/csv.php).
enum USGSCSV {
    /// The line with the columns' names, without a line end.
    static let head = """
        time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type,horizontalError,\
        depthError,magError,magNst,status,locationSource,magSource
        """

    /// Appends an event's record without a line end; unknown values are empty cells.
    static func append(_ feature: USGSFeature, to record: inout [UInt8]) {
        let event = feature.stored.event
        let point = event.location?.coordinate
        record.append(cells: [
            feature.time.timestamp, point?.latitude.jsonText, point?.longitude.jsonText, event.depth?.jsonText,
            event.magnitude?.jsonText, feature.magnitudeType, feature.number("nst")?.jsonText,
            feature.number("gap")?.jsonText, feature.number("dmin")?.jsonText, feature.number("rms")?.jsonText,
            feature.network, feature.stored.publicID, feature.updated.timestamp, event.place, feature.type,
            nil, nil, nil, nil, feature.status, nil, nil,
        ])
    }
}
