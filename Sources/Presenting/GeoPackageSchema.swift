/// The SQL of a GeoPackage 1.3 (OGC 12-128r18) with one table, `events`.
enum GeoPackageSchema {
    /// The spatial reference system of all geometries (EPSG:4326).
    static let wgs84: Int32 = 4326

    /// The first statements: `application_id` `GPKG` and `user_version` 1.3.0 (§1.1.1.1.1), the beginning of the only
    /// transaction, and the tables of §1.1.2, §1.1.3, §2.1.5 and §2.3.2. Checkers compare types and defaults as text.
    static let beginning = """
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA cache_size = -16384;
        PRAGMA application_id = \(0x4750_4B47);
        PRAGMA user_version = 10300;
        BEGIN;

        CREATE TABLE gpkg_spatial_ref_sys (
          srs_name TEXT NOT NULL,
          srs_id INTEGER NOT NULL PRIMARY KEY,
          organization TEXT NOT NULL,
          organization_coordsys_id INTEGER NOT NULL,
          definition TEXT NOT NULL,
          description TEXT
        );
        INSERT INTO gpkg_spatial_ref_sys VALUES
          ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system'),
          ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system'),
          ('WGS 84 geodetic', \(wgs84), 'EPSG', 4326,
            'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],\
        AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],\
        UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],\
        AXIS["Latitude",NORTH],AXIS["Longitude",EAST],AUTHORITY["EPSG","4326"]]',
            'longitude/latitude coordinates in decimal degrees on the WGS 84 spheroid');

        CREATE TABLE gpkg_contents (
          table_name TEXT NOT NULL PRIMARY KEY,
          data_type TEXT NOT NULL,
          identifier TEXT UNIQUE,
          description TEXT DEFAULT '',
          last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
          min_x DOUBLE,
          min_y DOUBLE,
          max_x DOUBLE,
          max_y DOUBLE,
          srs_id INTEGER,
          CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id)
        );

        CREATE TABLE gpkg_geometry_columns (
          table_name TEXT NOT NULL,
          column_name TEXT NOT NULL,
          geometry_type_name TEXT NOT NULL,
          srs_id INTEGER NOT NULL,
          z TINYINT NOT NULL,
          m TINYINT NOT NULL,
          CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
          CONSTRAINT uk_gc_table_name UNIQUE (table_name),
          CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents (table_name),
          CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id)
        );

        CREATE TABLE gpkg_extensions (
          table_name TEXT,
          column_name TEXT,
          extension_name TEXT NOT NULL,
          definition TEXT NOT NULL,
          scope TEXT NOT NULL,
          CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name)
        );
        """

    /// The feature table (§2.1.6) and its spatial index (annex F.3), which is filled with each row.
    static func features(_ columns: [String]) -> String {
        """
        CREATE TABLE events (
          fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
          geom GEOMETRY,
          \(columns.joined(separator: ",\n  "))
        );
        CREATE VIRTUAL TABLE "rtree_events_geom" USING rtree(id, minx, maxx, miny, maxy);
        """
    }

    /// Parameters: time of the last change, then the box round all features: west, south, east, north.
    static let contents = """
        INSERT INTO gpkg_contents VALUES ('events', 'features', 'events', 'Events of visiventd', ?, ?, ?, ?, ?, \(wgs84))
        """

    /// The last statements. The triggers maintain the index when other programs edit the file. They come last because
    /// they call functions that SQLite lacks.
    static let end = """
        INSERT INTO gpkg_geometry_columns VALUES ('events', 'geom', 'GEOMETRY', \(wgs84), 0, 0);
        INSERT INTO gpkg_extensions VALUES
          ('events', 'geom', 'gpkg_rtree_index', 'http://www.geopackage.org/spec120/#extension_rtree', 'write-only');

        CREATE TRIGGER "rtree_events_geom_insert" AFTER INSERT ON "events"
          WHEN (new."geom" NOT NULL AND NOT ST_IsEmpty(NEW."geom"))
        BEGIN
          INSERT OR REPLACE INTO "rtree_events_geom" VALUES (
            NEW."fid", ST_MinX(NEW."geom"), ST_MaxX(NEW."geom"), ST_MinY(NEW."geom"), ST_MaxY(NEW."geom"));
        END;
        CREATE TRIGGER "rtree_events_geom_update1" AFTER UPDATE OF "geom" ON "events"
          WHEN OLD."fid" = NEW."fid" AND (NEW."geom" NOTNULL AND NOT ST_IsEmpty(NEW."geom"))
        BEGIN
          INSERT OR REPLACE INTO "rtree_events_geom" VALUES (
            NEW."fid", ST_MinX(NEW."geom"), ST_MaxX(NEW."geom"), ST_MinY(NEW."geom"), ST_MaxY(NEW."geom"));
        END;
        CREATE TRIGGER "rtree_events_geom_update2" AFTER UPDATE OF "geom" ON "events"
          WHEN OLD."fid" = NEW."fid" AND (NEW."geom" ISNULL OR ST_IsEmpty(NEW."geom"))
        BEGIN
          DELETE FROM "rtree_events_geom" WHERE id = OLD."fid";
        END;
        CREATE TRIGGER "rtree_events_geom_update3" AFTER UPDATE ON "events"
          WHEN OLD."fid" != NEW."fid" AND (NEW."geom" NOTNULL AND NOT ST_IsEmpty(NEW."geom"))
        BEGIN
          DELETE FROM "rtree_events_geom" WHERE id = OLD."fid";
          INSERT OR REPLACE INTO "rtree_events_geom" VALUES (
            NEW."fid", ST_MinX(NEW."geom"), ST_MaxX(NEW."geom"), ST_MinY(NEW."geom"), ST_MaxY(NEW."geom"));
        END;
        CREATE TRIGGER "rtree_events_geom_update4" AFTER UPDATE ON "events"
          WHEN OLD."fid" != NEW."fid" AND (NEW."geom" ISNULL OR ST_IsEmpty(NEW."geom"))
        BEGIN
          DELETE FROM "rtree_events_geom" WHERE id IN (OLD."fid", NEW."fid");
        END;
        CREATE TRIGGER "rtree_events_geom_delete" AFTER DELETE ON "events" WHEN old."geom" NOT NULL
        BEGIN
          DELETE FROM "rtree_events_geom" WHERE id = OLD."fid";
        END;

        COMMIT;
        """
}
