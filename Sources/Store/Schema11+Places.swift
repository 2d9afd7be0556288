extension Schema {
    /// Version 11, places: the operator's corrections of places, by the public id of the event (`Correcting`).
    ///
    /// `latitude` NULL: the event has no place. `feed_…` is the place that the event has by the geometry of its feed, and
    /// `sought_text` the words in which a place was found or sought before. While the event is gone, these are NULL,
    /// `gone_ms` tells since when, and `place_correction_name` has the upstream ids under which it may come back.
    static let places = """
        CREATE TABLE place_correction (
          public_id TEXT NOT NULL PRIMARY KEY,
          latitude REAL,
          longitude REAL,
          radius_km REAL,
          name TEXT,
          made_by TEXT NOT NULL,
          made_ms BIGINT NOT NULL,
          feed_latitude REAL,
          feed_longitude REAL,
          feed_method TEXT,
          feed_precision TEXT,
          sought_text TEXT,
          gone_ms BIGINT
        ) WITHOUT ROWID;
        CREATE INDEX place_correction_made ON place_correction (made_ms);
        CREATE TABLE place_correction_name (
          provider TEXT NOT NULL,
          upstream_id TEXT NOT NULL,
          public_id TEXT NOT NULL,
          PRIMARY KEY (provider, upstream_id)
        ) WITHOUT ROWID;
        CREATE INDEX place_correction_name_event ON place_correction_name (public_id);
        CREATE TRIGGER place_correction_deleted AFTER DELETE ON place_correction
          BEGIN
            DELETE FROM place_correction_name WHERE public_id = old.public_id;
          END;

        CREATE VIEW place_corrections_v1 AS
          SELECT public_id, latitude, longitude, radius_km, name, made_by, made_ms AS made_at_ms, gone_ms AS gone_since_ms
          FROM place_correction;
        """
}
