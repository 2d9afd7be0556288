/// Common knowledge about words, to tell a place's name from a word, a person or an organisation.
///
/// All words are folded (`NameFolding`). The lists reflect English-language news in general, with some words of
/// neighbouring languages; no name was added for a single text.
enum PlaceWords {
    /// Common words that are also places: each needs a place word before it, or its country or region after it.
    static let common = words(
        """
        ace acre act add ado afar ale all alliance along also alter alto amen amp an anchorage and anew angers angle
        antelope anthem apes apex arching are ark arm art as ascension ash ask at ate auburn aurora avec bad badger
        bag bale ban bani banjo bank banks banning bar bard bare barking barn barrage baste bat bath battle bay
        beacon bear beg begun bell bend bender best bib big bin bled bode bog bolder bone boo boom bop bore born
        borne boulder bountiful bow bra brake brat bride bridge broach brush bud buffalo bug bun bury bus bush bust
        but butte buy cab caller cam can canes canning cars casa cascade cascades castle caw centennial center
        central centre chair champs chin church cobra cocoa coin college colon colony combs come como con conception
        concord consolation converse coo cordon cork court cove cow cross crossings crystal cue cum cut cypress dab
        dad dam dame dandy dans date day deal defiance del deli delis delta den des dig dim din dip dole dome drama
        dream drug dry dub dud due dug eagle ear early earth east eastern eat ebb eel ego elf elk elm emporia
        enterprise era eras erode esta este eureka ever falcon fan far fat federal felling fez field fig fire first
        fleet flint flower flushing fog for fords forest fountain fowling free from fun gal gale gap garland gas gay
        gel general genes gent get goes gold golden good got grand grass grays great green grenade grins grove
        groves guard gulf gums gut gym had hag hail hale hall ham hammocks hang hare hays hem hes hickory highland
        highlands hill hims hit ho hog holiday home homestead hope hot hove hue hug hull hum humble hut ideal ill
        imp imperial independence industry inn ion irk island islands jingling jog joy just ken key keystone kid
        kilo kin king kings lad lag lake lakes lampoon lancing land lap las latina laurel law lax lead led lee leek
        leer leg lens les lessen let liberal liberty lice lids lie light lights lime limerick lin line linen lion
        lip list lit live loan lob log lone long lop lord los lot love lower luck lug lupin mad magenta main makes
        mala male man manage manger mango manning many marathon marches mare marina maritime market marks marshal
        martin marts mascara mason mat meadow media mentor metro mew middle mile mill mine minor mission mob mobile
        mod mode model mono monster moon mop more moron mosquito moss most mountain mountains mow much mush music
        mustang nag name nap natal nation national native never new newton nice nit noisy non normal north northeast
        northern northwest not nut oak ocean ode of off ogre old one open opportunity oral orange orchards oriental
        over overland ox pa pace pacific pad pal pan panda panorama pap papa papaya par para paradise park parks
        parole part pat peace pearl peel peer peg pen people per pest pet pew phoenix pin pine pit plain plains
        plant plantation plateau plaza plum plunge point police polo pool pop port posing possession post pottery
        pour pout prince princess proclamation progress prospect providence pry pub pueblo puma punch pus put
        quarter quebrada queen queens quiche rain ram ran ranch rap rat raw re read reading real red reform republic
        reserve rest retreat reunion revel revere rib ridge riding rig right rim ring river rivers rivet road roam
        rock rocks roles roman rose roses rot rouse row royal rue rugby rush rut rye sac sacks safety saga saint
        sake saki sala sale salon salt same san sandy santa sap saris savage save say school schooner sea seaside
        sector sedan see senator set settlement shaping shields shore show shy sic side silver sin since sing sip
        sir siren six ski skit sky slave sly small smiths snow sod sole soli solo some son song soul sound sour
        south southern sox spa spark sparks speed spire split spoken spring springs square stains standard star
        stars state states station sterling stoke stone stood store storm stow strand street sub sues sugar sulphur
        summit sung sunning sunrise sunset superior sur surprise swords system tabu tag taker tale tall tame tan
        tango tank tap tape tar tars tartar tea tell tempi temple ten termini terrace than the their thorn thy tie
        tilt time tin ting tip tire to toe tome tongue top torrent tour tours tow tower toy trail tree trees trinity
        troy truth try tuba tug tune tunes tunnel turn twin under une union unity universal university upper us
        valiant valley van vans verve veto via vicar victor victory vie view villa village villages vineyard vise
        vision vista wag walker walling walnut wan war warn warren was watch water wave waver way wedding well
        welling wells west westerly western wetter what wheeling white who why wild wind window winter wise woe
        wonder wood woodland woodlands woods words world worms worth wright yam yap yellow yes young zest
        """)

    /// Words that are no place in running text, whatever the table has: calendar, languages, pronouns, firms.
    static let never = words(
        """
        africa antarctica asia eurasia europe oceania
        allah amazon apple apr april arabic aug august bible buddha chinese christ christian christmas congress dec
        december easter english facebook feb february ford french fri friday german god google greek he hebrew her
        him his i internet islam it italian jan january japanese jesus jewish jul july jun june koran korean latin
        mar march may me mon monday muslim my nov november oct october our parliament portuguese quran ramadan
        russian sat saturday senate sep sept september she sony spanish sun sunday tesla thanksgiving that them
        these they this those thu thursday toyota tue tuesday turkish twitter university we wed wednesday you your
        """)

    /// Given names common in the news.
    static let givenNames = words(
        """
        aaron abdul abdullah ada adam adrian agnes ahmad ahmed alan albert alberto alejandro alex alexander alexei
        alexey alfred alfredo ali alice alicia allan allen allison alma alvin amanda amber amy ana andre andrea
        andrei andrew andrey andy angel angela angelo angie anita ann anna anne annette annie anthony antonio april
        arlene armando arnold arthur arturo ashley asif audrey aung austin barack barbara barry bashar beatrice
        becky belinda ben benazir benjamin bernard bernice bernie bertha bessie beth betsy betty beverly bill billie
        billy blanche bob bobbie bobby bonnie boris brad bradley brandi brandon brandy brenda brent brett brian
        brittany bruce bryan byron calvin carl carla carlos carmen carol carole caroline carolyn carrie casey
        cassandra catherine cathy cecil cecilia chad charlene charles charlie charlotte chen cheryl chester chris
        christian christina christine christopher christy cindy claire clara clarence claude claudia clayton
        clifford clifton clinton clyde cody colleen condoleezza connie constance cora corey cory courtney craig
        crystal curtis cynthia daisy dale dan dana daniel danielle danny darlene darrell darren darryl daryl dave
        david dawn dean deanna debbie deborah debra delores denise dennis derek derrick diana diane dianne dmitri
        dmitry dolores don donald donna donnie dora doris dorothy doug douglas duane dustin dwayne dwight earl eddie
        edgar edith edna eduardo edward edwin eileen elaine eleanor elizabeth ella ellen elmer elsie emily emma
        emmanuel enrique eric erica erik erika erin ernest esther ethel eugene eunice eva evan evelyn everett evo
        faye felicia felix fernando fidel florence floyd frances francis francisco francois frank franklin fred
        freddie frederick fredrick fritz gabriel gail gary gene geneva george georgia gerald geraldine gerard
        gertrude gilbert gina giovanni giuseppe gladys glen glenda glenn gloria gordon grace greg gregory guadalupe
        gunther guy gwendolyn hans harold harriet harry harvey hassan hattie hazel heather hector heidi heinz helen
        henry herbert herman hilda hillary holly homer howard hubert hugh hugo hussein ian ibrahim ida igor imran
        inez irene iris irma isaac isabel ivan ivanka jack jackie jacob jacqueline jacques jaime james jamie jane
        janet janice jared jason javier jay jean jeanette jeanne jeb jeff jeffery jeffrey jennie jennifer jenny
        jeremiah jeremy jerome jerry jesse jessica jessie jesus jesús jill jim jimmie jimmy jo joan joann joanna
        joanne joe joel joey john johnnie johnny jon jonathan jordan jorge jose joseph josephine joshua josé joy
        joyce juan juanita judith judy julia julian julie julio julius june jurgen justin kamala karen karl kate
        katherine kathleen kathryn kathy katie katrina kay keith kelly kellyanne ken kenneth kenny kent kevin khalid
        kim kimberly kirk klaus kristen kristi kristin kristina kurt kyle lance larry laura lauren laurie lawrence
        leah lee lena leo leon leona leonard leroy leslie lester lewis li lillian lillie linda lindsay lindsey lisa
        liu lloyd lois lonnie loretta lori lorraine louis louise luc luca lucille lucy luigi luis luke luther lydia
        lyle lynda lynn mabel madeline mae mahmoud malala manuel marc marcia marco marcus margaret margarita margie
        marguerite maria marian marie marilyn marine mario marion marjorie mark marlene marsha marshall martha
        martin marvin mary mathew matt matteo matthew mattie maureen maurice max maxine megan meghan melania melanie
        melinda melissa melvin michael micheal michel michele michelle miguel mike mikhail mildred milton minnie
        miriam misty mitch mitchell mohamed mohammad mohammed molly monica morris muhammad mustafa myrtle nancy
        naomi narendra natalie natasha nathan nathaniel nawaz neil nellie nelson newt nicholas nick nicolas nicole
        nicolás nigel nikki nikolai nina nora norma norman oleg olga oliver omar oscar otis pablo pamela paolo park
        patricia patrick patsy paul paula pauline pavel pearl pedro peggy penny perry peter petro philip phillip
        phyllis pierre priscilla rachel rafael rahul ralph ramon ramona randall randy raul ray raymond rebecca recep
        regina reginald reince rene renee rex rhonda ricardo richard rick ricky rita robert roberta roberto robin
        rodney roger roland ron ronald ronnie rosa rose rosemary rosie ross roy ruben ruby rudy russell ruth ryan
        sabrina sally salvador sam samantha samuel sandra sandy sara sarah scott sean sergei sergey sergio seth
        shane shannon sharon shaun shawn sheila shelly sherri sherry sheryl shinzo shirley sidney silvio sonia
        stacey stacy stanley stefan stella stephanie stephen steve steven stuart sue susan suzanne sylvia tamara
        tammy tanya tara taro ted teresa terrance terrence terri terry thelma theodore theresa thomas tiffany tim
        timothy tina todd tom tommy toni tony tonya tracey tracy travis trevor troy tyler tyrone valerie vanessa
        velma vera vernon veronica vicki vickie victor victoria viktor vincent viola violet virgil virginia vivian
        vladimir wade wallace walter wanda wang warren wayne wendell wendy wesley willard william willie wilma
        wolfgang xi yasser yolanda yoshihide yuri yusuf yvonne zachary zhang
        """)

    /// Family names that are also towns.
    static let familyNames = words(
        """
        abreu adam adams addison aguirre alfaro ali allen alvarado ames amos anderson aranda arnold arriaga ash
        ashford ashton assad atherton austin avila badger baldwin banda barajas barbosa barrios barrow barry
        bartlett bedford bell bello belton bender bentley benton best beverly billings blackburn bolton bone boone
        borges bowie bradford bradley brandon brent bryan bryant buchanan buckley burgos burke burnham burton bush
        caldwell calhoun cameron campbell campos cano cantu cardenas carmichael carney carson cary casper castro
        chandler chang chen chester chin cho chu churchill clayton cleveland clifton clinton colon combs compton
        concepcion conway conyers corcoran cornelius covington cranford crawley crosby cutler cyr dalton davenport
        david davis day deal delgado denton dickinson dixon douglas dover downey draper duarte dudley duncan duran
        dyer easley easton edmond edmonds elam ennis escalante esparza espinosa evans everett ewing fairbanks fay
        ferguson fernandez flint flores folsom fonseca fortin francisco franklin frederick fullerton gale gallegos
        galvez garcia gardner garland garner gary gay george gilbert gillette godfrey gold goldberg golden gonzales
        graham granger grantham green greenfield greenwood greer gresham griffin griffith grove groves gutierrez
        hagen hale hall ham hamilton hamm hammond hampton hare harlow harper harrison hartley harvey hastings
        hatfield hawthorne hayes hays hayward henderson herndon hilliard ho hobbs holbrook holden holland holloway
        holt hoover hopkins houston howard hudson hull huntley hurst hutchinson hyde ibarra irvin irvine irving
        jackson jacob jefferson jimenez joe johnston juarez kane kang kearns keene keller kemper kendall kent kerns
        khan kim kirkland kirkwood kline kyle lacey ladner lai lang langford langley lau law lawrence layton le lee
        leigh leon lester levin lewis lim limon lin linares lincoln linn lira littleton livingston logan lopez lucas
        luce lugo lujan lund lutz lynn lyon lyons machado macon macron madison maldonado manning mansfield march
        marion marks marrero marshall martin martinez marx mason matthews mcdonough mchenry mckinney mclean medina
        mello melton mendez mendoza merkel merrick messina metz michel middleton milton miranda mitchell modi molina
        monroe montalvo montero montgomery moore mora morales moreno morley morris morton moss munoz murphy murray
        nava needham nelson newton niles nix norman norton norwood obama ocampo ogden oldham oliva oliveira osorio
        pace palmer paris parker paterson patterson pena pence pendleton pereira perez petit pickering pina pineda
        pinto polanco ponce poole prescott preston radford ramon ramos ramsey randolph rea rees reyes rhodes
        richardson ripley rivas rivera rocha rodriguez rogers roman romo rosario rosas rosenberg roth rouse roy
        rubin rubio rutherford salazar saldana salinas sams sanford santos savage schroeder searcy selby seymour
        shelby shelton sheridan sherman sherwood shields shipley shirley solano soto sparks spring stafford stanley
        stanton sterling stewart stockton stroud stuart suarez sutton tabor taft tam tan taylor temple terrell thorn
        thornton tipton torres tovar tracy trapp trujillo trump tucker turk tyler vallejo vann vaughan ventura vera
        vernon villanueva vincent wadsworth wakefield walker walton ware warren wayne weatherford westbrook weston
        whitley whitney willoughby wilson windham wright wylie york young yu zamora
        """)

    /// Family names behind a name that is a given name then: `Indiana Jones`.
    static let surnames = familyNames.union(
        words(
            """
            baker clark collins edwards hood jones miller murphy peterson phillips roberts robinson rogers smith stewart taylor thompson
            williams wilson
            """))

    /// Words that begin a sentence and are not part of a name.
    static let functionWords = words(
        """
        a above according across after against all along also although am amid among an and another any are around
        as at au aus aux back because before bei below between beyond both but by can con could das dem den der des
        despite did die do does du during each earlier eight ein eine el em en et even every few first five for
        former four from fur gli had has have he her here his how however i if il im in inside is it its just la las
        last late later le les like lo los many may meanwhile might more moreover most much must my na nach near nel
        nella next nine no nor not now o of on once one only or os other our outside over para per por second seven
        several she should since six so some still such ten than that the their then there these they this those
        though three through throughout to today tomorrow tonight too toward towards two uma un una und under une
        unlike until very via von was we were what when where whether which while who whose why will with without
        would yesterday yet you your
        """)

    /// Words that precede places.
    static let cues = words(
        """
        a across around at aus bei central cerca downtown east eastern em en from im in inside into leaving nach
        nahe near north northeastern northern northwestern outside pres reach reached south southeastern southern
        southwestern throughout toward towards vers visiting west western
        """)

    /// Those of `cues` that tell where somebody is going to or coming from.
    static let motion = words("aus from into leaving nach reach reached toward towards vers visiting")

    /// Words of saying and of reason: a sentence with one speaks of a place from afar.
    static let reporting = words(
        """
        about accuse accused accuses after approve approved approves asks backs blame blamed blames call called calls
        charged condemn condemned condemns consider considers convicted criticized criticizes debate debates denied denies
        deny despite fear feared fears for funds guilty hailed hails jailed over plan planned plans plot plots plotting
        probe probes rejects reviews said say says sentenced sues told tells trial urged urges vowed vows want wants warned
        warns
        """)

    /// Verbs of what an event does, in headlines: `Bus crash in Mosul kills two`.
    static let outcomes = words(
        """
        blocks burns claims closes collapses cuts damages destroys disrupts displaces floods forces hits injures
        injuring kill killed killing kills leaves leaving prompts sends shakes shuts sparks strands stops traps triggers
        wounded wounding wounds
        """)

    /// Words behind the number of those whom an event hit.
    static let losses = words("dead die died feared hurt injured killed missing wounded")

    /// Words for a populated place.
    static let settlements = words("area capital city district neighborhood port region suburb town village")

    /// Words before a name for a part of the place.
    static let directions = words(
        """
        central downtown east eastern greater inner lower mainland metro metropolitan midtown nearby north northeast
        northeastern northern northwest northwestern old outer rural south southeast southeastern southern southwest
        southwestern suburban upper west western
        """)

    /// Words in small letters within a name, before its next capitalised word.
    static let particles = words(
        "al am da de del della der des di do dos du e el en la las le les los of sur upon von y")

    /// Adjectives of areas larger or smaller than a country, besides `Demonyms`; not part of the name that follows.
    static let adjectives = words(
        """
        african arab arabian asian balkan baltic eastern english european kurdish latin nordic northern scandinavian
        scottish southern welsh western
        """)

    /// Titles and offices, which precede a person's name.
    static let titles = words(
        """
        actor actress admiral ambassador archbishop attorney aunt author bishop brother capt captain cardinal ceo
        chairman chairwoman chancellor chief coach col colonel congressman congresswoman constable corporal dame
        detective director dr duke father gen general gov governor imam inspector judge justice king lady lawyer
        lieutenant lord lt maj major manager mayor minister miss mr mrs ms officer pastor pope premier president
        prince princess private prof professor pte queen rabbi rep representative rev reverend saint secretary sen
        senator sergeant sgt sheikh sheriff singer sir sister spokesman spokesperson spokeswoman uncle vice
        """)

    /// Words after a name that make it something that may be elsewhere (`London Road`).
    static let features = words(
        """
        arena avenue beach boulevard bridge cafe canyon colony creek desert drive dunes falls ferry forest gardens
        grove heights hill hills hotel island islands junction lake lane mall mountain mountains museum park peninsula
        plaza restaurant river road sea springs square stadium strait street theater theatre tower valley
        """)

    /// Words after a name that leave it a place: its police, its mayor, its airport; also days and months.
    static let publicBodies = words(
        """
        air airport ambassador apr april area army assembly attorney aug august bank border borough capitol
        cathedral central chancellor city coast commission committee congress congressman congresswoman
        consulate council county court dec december democrat democratic democrats department detective district
        embassy emperor feb february federal fire force forces fri friday general gov government governor guard
        harbor harbour health high hospital international jail jan january judge jul july jun june king lawmakers
        legislature lieutenant lt mar march marshal may mayor metro metropolitan minister ministry mla mon monday mp
        mpp mps municipality national navy nov november oct october officer officers parliament police port premier
        president prime prince prison province public queen region rep representative republican republicans sat
        saturday school secretary sen senate senator sep sept september sheriff state station stock sunday supreme
        thu thursday town township transit transport tue tuesday village wed wednesday zoo
        """)

    /// Abbreviations whose full stop does not end a sentence.
    static let abbreviations = words(
        """
        ala alta apr ariz ark aug calif capt co col colo conn corp dec del dr feb fla fri ft ga gen gov hon ill inc
        ind jan jr jul jun kan ky la lt ltd man mar mass md me mich minn miss mo mon mont mr mrs ms mt neb nev no
        nov oct okla ont ore pa pres prof que rep rev sask sat sen sep sept sgt sr st sun tenn tex thu tue va vs vt
        wash wed wis wyo
        """)

    /// The last words of districts' names.
    static let districtTails: Set<String> = ["county", "parish", "district", "borough", "province", "prefecture"]

    /// Second parts of words such as `London-based`, in which the name remains a place.
    static let hyphenTails: Set<String> = [
        "based", "born", "wide", "area", "led", "backed", "owned", "run", "bound", "style", "trained",
    ]

    /// The words of a text, folded.
    static func words(_ text: String) -> Set<String> {
        var folding = NameFolding()
        return Set(
            text.split(whereSeparator: { $0.isWhitespace }).map { word in
                folding.fold(String(word))
                return String(decoding: folding.bytes, as: UTF8.self)
            })
    }
}
