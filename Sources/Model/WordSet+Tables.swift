// The words were written by hand. The noun for a volcano is in each language that of Unicode's CLDR 41 (annotations of
// U+1F30B), with synonyms and inflected forms. Words and forms were compared with the dictionaries of hunspell in
// Debian 12, as far as there is one with the word. `*` stands at the end of a stem where that takes in every form and
// hardly another word; otherwise the forms are listed. Words that mean much else are left out, such as `vulcan` (ro,
// a firm and a rocket), `volkan` (tr, a name) and `tidal wave`.

extension WordSet {
    /// Earthquakes, in 48 languages.
    static let earthquake = """
        af: aardbewing*
        ar: زلزال*, الزلزال*, والزلزال*, بزلزال*, لزلزال*, للزلزال*, بالزلزال*, زلازل*, الزلازل*, والزلازل*, للزلازل*
        ar: هزة أرضية, هزات أرضية, الهزة الأرضية, الهزات الأرضية, هزة ارضية, هزات ارضية
        az: zəlzələ*
        bg: земетресени*
        bn: ভূমিকম্প*
        ca: terratrèmol*, sisme, sismes
        cs: zemětřesen*
        da: jordskælv*
        de: Erdbeben*, Seebeben*, Beben, Bebens
        el: σεισμός, σεισμού, σεισμό, σεισμοί, σεισμών, σεισμούς
        en: earthquake*, quake, quakes, temblor, temblors
        es: terremoto*, sismo, sismos, seísmo, seísmos, temblor, temblores
        et: maavärin*
        eu: lurrikara*
        fa: زلزله*, زمین‌لرزه*, زمین لرزه*
        fi: maanjäristy*
        fr: séisme, séismes, tremblement de terre, tremblements de terre, secousse sismique, secousses sismiques
        he: רעידת אדמה, רעידות אדמה, רעידת האדמה, רעידות האדמה, ברעידת אדמה, ברעידת האדמה, לרעידת אדמה, רעש אדמה
        hi: भूकंप*, भूकम्प*
        hr: potres, potresa, potresu, potresom, potresi, potresima, zemljotres*
        hu: földrengés*
        id: gempa, gempanya, gempabumi
        is: jarðskjálft*
        it: terremoto, terremoti, sisma, sismi, scossa sismica, scosse sismiche
        ja: 地震
        km: រញ្ជួយដី
        ko: 지진*
        lo: ແຜ່ນດິນໄຫວ
        lt: žemės drebėjim*
        lv: zemestrīc*
        ms: gempa bumi
        my: ငလျင်
        nl: aardbeving*, aardschok*
        no: jordskjelv*
        pl: trzęsienie ziemi, trzęsienia ziemi, trzęsieniu ziemi, trzęsieniem ziemi, trzęsień ziemi, trzęsieniom ziemi
        pl: trzęsieniami ziemi, trzęsieniach ziemi
        pt: terremoto*, sismo, sismos, tremor de terra, tremores de terra, abalo sísmico, abalos sísmicos
        ro: cutremur, cutremurul, cutremurului, cutremure, cutremurele, cutremurelor
        ro: seism, seismul, seismului, seisme, seismele, seismelor
        ru: землетрясени*
        sk: zemetrasen*
        sl: potres, potresa, potresu, potresom, potresi, potresov, potresih
        sr: земљотрес*
        sv: jordbävning*, jordskalv*, skalv, skalvet, skalven
        th: แผ่นดินไหว
        tr: deprem*
        uk: землетрус*
        ur: زلزلہ*, زلزلے*, زلزلوں
        vi: động đất
        zh: 地震
        """

    /// Tsunamis; `tsunami` itself is the word of the languages that have no line.
    static let tsunami = """
        ar: تسونامي*, التسونامي*, بتسونامي*, لتسونامي*, وتسونامي*
        bg: цунам*
        bn: সুনামি*
        cs: cunami*
        el: τσουνάμι*
        en: tsunami*
        es: maremoto, maremotos
        fa: سونامی*, سونامي*
        fr: raz de marée, raz-de-marée
        he: צונאמי*, הצונאמי, בצונאמי, לצונאמי
        hi: सुनामी*, त्सुनामी*
        hu: cunami*, szökőár*
        is: flóðbylgj*
        it: maremoti
        ja: 津波
        km: ស៊ូណាមិ
        ko: 쓰나미*, 지진해일*
        lo: ສຶນາມິ
        lt: cunami*
        lv: cunami*
        my: ဆူနာမီ
        pt: maremoto
        ru: цунам*
        th: สึนามิ
        uk: цунам*
        ur: سونامی*
        vi: sóng thần
        zh: 海啸, 海嘯
        """

    /// Volcanoes; a language without a line has the word of another one, such as `vulkan*`.
    static let volcano = """
        ar: بركان*, البركان*, والبركان*, لبركان*, للبركان*, بالبركان*
        ar: براكين*, البراكين*, والبراكين*, للبراكين*
        bg: вулкан*
        bn: আগ্নেয়গিরি*
        ca: volcà, volcans
        cs: sopka, sopky, sopce, sopku, sopkou, sopek, sopkám, sopkách, sopkami, sopečn*
        de: Vulkan*
        el: ηφαίστει*
        en: volcan*
        et: vulkaan*
        eu: sumendi*
        fa: آتشفشان*, آتش فشان*
        fi: tulivuor*
        he: הר געש, הר הגעש, הרי געש, הרי הגעש, בהר געש, בהר הגעש
        hi: ज्वालामुखी*
        hu: tűzhányó*, vulkán*
        id: gunung berapi, gunung api
        is: eldfjall*, eldfjöll*, eldgos*
        it: vulcano, vulcani, vulcanico, vulcanica, vulcanici, vulcaniche
        ja: 火山, 噴火
        km: ភ្នំភ្លើង
        ko: 화산*
        lo: ພູເຂົາໄຟ
        lt: ugnikaln*, vulkan*
        lv: vulkān*
        my: မီးတောင်
        nl: vulkaan*, vulkan*
        pl: wulkan, wulkanu, wulkanem, wulkanie, wulkanowi, wulkany
        pl: wulkanów, wulkanom, wulkanami, wulkanach, wulkaniczn*
        pt: vulcão, vulcões, vulcânico, vulcânica, vulcânicos, vulcânicas
        ro: vulcanul, vulcanului, vulcanii, vulcanilor, un vulcan, unui vulcan, vulcanică, vulcanice
        ru: вулкан*
        sk: sopka, sopky, sopke, sopku, sopkou, sopiek, sopkám, sopkách, sopkami, sopečn*
        sl: ognjenik*
        sq: vullkan*
        sr: вулкан*
        sv: vulkan*
        sw: volkano
        th: ภูเขาไฟ
        tr: yanardağ*, volkanik
        uk: вулкан*
        ur: آتش فشاں*
        vi: núi lửa
        zh: 火山
        """
}
