/// Names of months and weekdays in the languages of feeds other than English, in lower case and without a full stop.
///
/// They are those of Unicode's CLDR as in Babel 2.19 (the Gregorian calendar, formatting and stand-alone, wide and
/// abbreviated) in 30 languages, with some that feeds abbreviate otherwise. A word with two meanings (`listopad` is
/// October and November, `srp` July and August) is none.
enum DateWords {
    /// The number of the month, 1…12, of each name.
    static let months: [String: Int] = {
        var months: [String: Int] = [:]
        for line in monthNames.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let number = words.first.flatMap({ Int($0) }) else { continue }
            for word in words.dropFirst() { months[String(word)] = number }
        }
        return months
    }()

    /// The weekdays, which a date does not need: a wrong one is ignored.
    static let weekdays = Set(weekdayNames.split { $0 == " " || $0 == "\n" }.map(String.init))

    private static let monthNames = """
        1 ene enero gen gener genn gennaio ian ianuarie jaan jaanuar janeiro januari január januára janv janvier
        1 janvāris janúar led leden ledna oca ocak saus sausio sausis sij siječanj siječnja sty styczeń stycznia
        1 tammi tammikuu tammikuuta ιαν ιανουάριος ιανουαρίου січ січень січня янв январь января яну януари
        2 febbraio febrer febrero februari februarie február februára februāris febrúar fev fevereiro fév févr
        2 février helmi helmikuu helmikuuta lut lutego luty vas vasario vasaris veebr veebruar velj veljača veljače
        2 úno únor února şub şubat φεβ φεβρουάριος φεβρουαρίου лют лютий лютого фев февр февраль февраля февруари
        3 bře březen března kov kovas kovo maalis maaliskuu maaliskuuta maart marca marec maret mars mart martie
        3 marts marzec marzo març março mrt mrz márc március mär märts märz ožu ožujak ožujka μάρ μάρτιος μαρ
        3 μαρτίου бер березень березня мар март марта
        4 abr abril aprile aprilie aprill apríl apríla aprīlis avr avril bal balandis balandžio dub duben dubna
        4 d’abr d’abril huhti huhtikuu huhtikuuta kwi kwiecień kwietnia nis nisan tra travanj travnja ápr április
        4 απρ απρίλιος απριλίου апр апрель апреля април квіт квітень квітня
        5 geg gegužė gegužės kvě květen května mag maggio mai maig maijs maio maj maja mayo mayıs maí mei máj mája
        5 május svi svibanj svibnja touko toukokuu toukokuuta μάι μάιος μαΐ μαΐου май мая трав травень травня
        6 birž birželio birželis cze czerwca czerwiec giu giugno haz haziran iun iunie juin junho juni junij junio
        6 juny juuni jún júna június júní jūn jūnijs kesä kesäkuu kesäkuuta lipanj lipnja červen června čvn ιουν
        6 ιουνίου ιούν ιούνιος июн июнь июня черв червень червня юни
        7 heinä heinäkuu heinäkuuta iul iulie juil juill juillet julho juli julij julio juliol juuli júl júla
        7 július júlí jūl jūlijs liep liepa liepos lipca lipiec lug luglio srpanj srpnja tem temmuz července
        7 červenec čvc ιουλ ιουλίου ιούλ ιούλιος июл июль июля лип липень липня юли
        8 ag ago agost agosto agu agustus août augusta augusti augusts augustus augusztus avg avgust ağu ağustos
        8 d’ag d’agost elo elokuu elokuuta kol kolovoz kolovoza rugp rugpjūtis rugpjūčio sie sierpień sierpnia
        8 srpen srpna ágú ágúst αυγ αυγούστου αύγ αύγουστος авг август августа серп серпень серпня
        9 eyl eylül rugs rugsėjis rugsėjo ruj rujan rujna septembar septembra septembre septembrie septembris
        9 septiembre set setembre setembro sett settembre syys syyskuu syyskuuta szept szeptember wrz wrzesień
        9 września zář září σεπ σεπτέμβριος σεπτεμβρίου вер вересень вересня сент сентябрь сентября сеп септември
        10 d’oct d’octubre eki ekim loka lokakuu lokakuuta octobre octombrie octubre okt oktobar oktober oktobris
        10 oktoober október októbra ott ottobre out outubro paź październik października spal spalio spalis říj
        10 říjen října οκτ οκτωβρίου οκτώβριος жовт жовтень жовтня окт октомври октябрь октября
        11 kas kasım lapkr lapkritis lapkričio listopadu marras marraskuu marraskuuta noiembrie novembar novembra
        11 novembre novembris novembro noviembre nóv nóvember stu studeni studenoga νοέ νοέμβριος νοε νοεμβρίου лист
        11 листопад листопада ное ноември нояб ноябрь ноября
        12 ara aralık decembar decembra decembrie decembris des desember desembre dets detsember dez dezember
        12 dezembro dic dicembre diciembre déc décembre gru grudnia grudzień gruod gruodis gruodžio joulu joulukuu
        12 joulukuuta pro prosinac prosinca prosince prosinec δεκ δεκέμβριος δεκεμβρίου груд грудень грудня дек
        12 декабрь декабря декември
        """

    private static let weekdayNames = """
        an antradienis ce ceturtd ceturtdiena cmt cs csütörtök ct cu cum cuma cumartesi czw czwartek dc dg di
        dienstag dijous dilluns dim dimanche dimarts dimecres dinsdag dissabte diumenge divendres dj dl do dom
        domenica domingo donderdag donnerstag ds dt du dum duminică dv esmaspäev fi fim fimmtudagur fre fredag
        freitag fö fös föstudagur gio giovedì hétfő je jeu jeudi joi ju jue jueves jum jumat kam kamis ke kedd
        keskiviikko keskiviikkona ketvirtadienis kolmapäev kt la lau lauantai lauantaina laugardagur laupäev lu lun
        lundi lunedì lunes luni lö lör lördag lø lør lørdag ma maanantai maanantaina maandag man mandag mar mardi
        martedì martes marți me mer mercoledì mercredi mi mie miercuri min minggu mittwoch mié miércoles mið
        miðvikudagur montag má mán mánudagur må mån måndag ne ned nedelja nedeľa nedjelja neděle neljapäev nie niedz
        niedziela on ons onsdag ot otrd otrdiena pa paz pazar pazartesi pe penktadienis per perjantai perjantaina
        perşembe pet petak petek pi piatok piektd piektdiena pirmadienis pirmd pirmdiena pią piątek pk pn po pon
        pondelok pondělí ponedeljak ponedeljek ponedjeljak poniedziałek pr pt pzt pá pátek péntek pühapäev qua
        quarta-feira qui quinta-feira rab rabu reede sab sabato sabtu sal salı sam samedi samstag se seg
        segunda-feira sekmadienis sel selasa sen senin sestd sestdiena sex sexta-feira sk so sob sobota sonntag sr
        sre sreda sri srijeda st streda středa sub subota sunnudagur sunnuntai sunnuntaina sv svētd svētdiena sze
        szerda szo szombat sáb sábado sâ sâm sâmbătă sö sön söndag sø søn søndag teisipäev ter terça-feira ti
        tiistai tiistaina tir tirs tirsdag tis tisdag to tor torek tors torsdag torstai torstaina tr trečiadienis
        trešd trešdiena ut uto utorak utorok vasárnap ve ven vendredi venerdì vi vie viernes vin vineri vr vrijdag
        wo woensdag wt wto wtorek za zaterdag zo zondag ça çar çarşamba út úterý þr þri þriðjudagur če čet četrtek
        četvrtak čt čtvrtek śr śro środa šeštadienis št štvrtok δε δευ δευτέρα κυ κυρ κυριακή πέ πέμ πέμπτη πα παρ
        παρασκευή σά σάβ σάββατο τε τετ τετάρτη τρ τρί τρίτη воскресенье вс вт вторник вівторок нд неделя неділя
        пʼятниця петък пн понеделник понедельник понеділок пт пятница сб середа ср среда сряда суббота субота събота
        четвер четверг четвъртък чт
        """
}
