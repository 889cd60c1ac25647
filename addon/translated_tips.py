"""German and Japanese for the tooltips and long sentences of the extension; what only research needs stays English."""

TABLE = """
'{name}' has other vertices than before: try again
„{name}“ hat andere Vertices als zuvor: noch einmal versuchen
「{name}」の頂点が変わりました: もう一度試してください

A clash no deeper than this counts as touching (press fits, welds); until set, it is what the coordinates cannot tell from flush
Eine Kollision, die nicht tiefer ist, gilt als Berührung (Presspassungen, Schweißnähte); bis sie gesetzt ist, gilt, was die Koordinaten nicht von bündig unterscheiden
これより浅い干渉は接触とみなします (圧入、溶接)。設定するまでは、座標が面一と区別できない深さです

A clash of such a pair that is no deeper than this counts as touching
Eine Kollision eines solchen Paars, die nicht tiefer ist, gilt als Berührung
このペアでこれより浅い干渉は接触とみなします

A clustered mesh on disk that is tested in place of this object's mesh, which shows where it is
Ein Netz auf der Platte, das anstelle des Netzes dieses Objekts geprüft wird; dieses zeigt, wo es ist
このオブジェクトのメッシュの代わりに検査されるディスク上のメッシュ。表示は位置を示すだけです

A detail that repeats between two families, or an object that lies wrong
Ein Detail, das sich zwischen zwei Familien wiederholt, oder ein Objekt, das falsch liegt
2つの種類の間で繰り返す箇所、または位置の誤ったオブジェクト

A larger tolerance finds more; the test Distance says how far apart all are
Eine größere Toleranz findet mehr; der Test Abstand sagt, wie weit alle auseinander sind
許容値を大きくすると多く見つかります。テスト「距離」はすべての間隔を示します

A mesh of vertices only, as other importers make
Ein Netz nur aus Punkten, wie andere Importer es erzeugen
他のインポーターと同じ、頂点だけのメッシュ

A note on the selected pair, whatever its status; saved with the file
Eine Notiz zum gewählten Paar, welchen Status es auch hat; mit der Datei gespeichert
選択したペアのメモ。ステータスにかかわらず、ファイルと一緒に保存されます

A note on this pair, saved with the file
Eine Notiz zu diesem Paar, mit der Datei gespeichert
このペアのメモ。ファイルに保存されます

A page to read, search and print
Eine Seite zum Lesen, Suchen und Drucken
閲覧、検索、印刷できるページ

A point cloud object; Blender before 5.1 gets a mesh instead
Ein Punktwolkenobjekt; Blender vor 5.1 bekommt stattdessen ein Netz
ポイントクラウドオブジェクト。5.1より前のBlenderではメッシュになります

A test case per pair, for build servers
Ein Testfall je Paar, für Build-Server
ペアごとに1テストケース。ビルドサーバー用

A window of its own
Ein eigenes Fenster
専用のウィンドウ

A workbook; needs the Python package xlsxwriter
Eine Arbeitsmappe; braucht das Python-Paket xlsxwriter
ブック。Pythonパッケージxlsxwriterが必要です

All data, schema meshclash.report/1
Alle Daten, Schema meshclash.report/1
全データ、スキーマ meshclash.report/1

All groups are as they were found
Alle Gruppen sind so, wie sie gefunden wurden
すべてのグループは見つかったままです

All pairs that were found are excluded
Alle gefundenen Paare sind ausgeschlossen
見つかったペアはすべて除外されています

All visible objects of a collection and its children
Alle sichtbaren Objekte einer Sammlung und ihrer Untersammlungen
コレクションとその子のすべての表示オブジェクト

All visible objects of the scene
Alle sichtbaren Objekte der Szene
シーンのすべての表示オブジェクト

All volumes with all builders, instead of one of each kind
Alle Volumen mit allen Aufbauarten statt je einer
各種1つではなく、すべてのボリュームと構築方法

An object moved or changed since: press Update
Ein Objekt wurde seither bewegt oder verändert: Aktualisieren drücken
オブジェクトがその後移動または変更されました: 「更新」を押してください

Answer anew whenever meshes or scans move, deform, come or go, in any test. Press again, or ESC, to stop
Neu antworten, sobald Netze oder Scans sich bewegen, verformen, kommen oder gehen, in jedem Test. Erneut drücken, oder ESC, hält an
メッシュやスキャンが移動、変形、追加、削除されるたびに、どのテストでも答えを更新します。もう一度押すかESCで停止します

As all others
Wie alle anderen
他と同じ

At the first frame of each event
Am ersten Bild jedes Ereignisses
各イベントの最初のフレーム

At the worst frame
Am schlimmsten Bild
最も深刻なフレーム

Before the others
Vor den anderen
他より先に

Below the 3D view, which gives some of its height
Unter der 3D-Ansicht, die etwas Höhe abgibt
3Dビューの下 (高さを分けます)

Boxes along the object's axes
Quader entlang der Achsen des Objekts
オブジェクトの軸に沿うボックス

Boxes show where two may meet: green unlikely, yellow as likely as not, red likely
Kästen zeigen, wo zwei sich treffen können: grün unwahrscheinlich, gelb unentschieden, rot wahrscheinlich
箱は交わりうる場所を示します: 緑は低い、黄は半々、赤は高い可能性

Boxes that share most planes with the box around them: 8 bytes each
Quader, die die meisten Ebenen mit dem Quader um sie teilen: je 8 Byte
外側のボックスと面を共有するボックス: 各8バイト

Boxes turned to fit the convex hull
An die konvexe Hülle angepasste Quader
凸包に合わせて回転したボックス

Boxes turned to fit the surface
An die Fläche angepasste Quader
サーフェスに合わせて回転したボックス

Build a massive file from a mesh of any size without loading it, and show a level of it as an object
Aus einem Netz beliebiger Größe eine Massendatei erzeugen, ohne es zu laden, und eine Stufe davon als Objekt zeigen
どんな大きさのメッシュからも読み込まずに大規模ファイルを作り、その一段階をオブジェクトとして表示します

By frame
Nach Bild
フレーム順

By group, those with most pairs first
Nach Gruppe, die mit den meisten Paaren zuerst
グループ順、ペアの多いものから

By how urgent they are
Nach Dringlichkeit
緊急度順

By status
Nach Status
ステータス順

By the name of the first object
Nach dem Namen des ersten Objekts
最初のオブジェクトの名前順

By the name of the second object
Nach dem Namen des zweiten Objekts
二番目のオブジェクトの名前順

By the number of faces or points in contact, the most first
Nach der Zahl der Flächen oder Punkte in Berührung, die meisten zuerst
接触する面や点の数の順、多いものから

By the test that found them
Nach dem Test, der sie fand
見つけたテストの順

By the volume in common, the most first
Nach dem gemeinsamen Volumen, das größte zuerst
共通体積の順、大きいものから

By until when
Nach Fälligkeit
期限順

By what the list is sorted
Wonach die Liste sortiert ist
リストの並び順

By who takes care of them
Nach Zuständigkeit
担当者順

Choose a group to list its pairs alone
Eine Gruppe wählen, um nur ihre Paare zu listen
グループを選ぶと、そのペアだけを表示します

Collection of set A
Sammlung der Menge A
セットAのコレクション

Collection of set B
Sammlung der Menge B
セットBのコレクション

Contacting faces of the first object of a pair
Berührende Flächen des ersten Objekts eines Paars
ペアの最初のオブジェクトの接触面

Contacting faces of the second object of a pair
Berührende Flächen des zweiten Objekts eines Paars
ペアの二番目のオブジェクトの接触面

Coordinates are relative to the origin of the scene's scans; the first one far from zero sets it
Koordinaten beziehen sich auf den Ursprung der Scans der Szene; der erste fern von null setzt ihn
座標はシーンのスキャンの原点からの値です。原点から遠い最初のスキャンが決めます

Coordinates stay as they are; far from zero, single precision loses millimetres
Koordinaten bleiben, wie sie sind; fern von null verliert einfache Genauigkeit Millimeter
座標はそのままです。原点から遠いと、単精度ではミリメートルが失われます

Copy versions and the state of the engine, for a bug report
Versionen und Zustand der Engine kopieren, für einen Fehlerbericht
バグ報告のため、バージョンとエンジンの状態をコピーします

Corners no farther apart are taken as one in the levels that are shown, as models need whose faces were written one by one; Detect tests the triangles as they are
Ecken, die nicht weiter auseinander liegen, gelten in den gezeigten Stufen als eine, wie es Modelle brauchen, deren Flächen einzeln geschrieben sind; Prüfen testet die Dreiecke, wie sie sind
これより近い角は表示段階で1つとみなします。面が1枚ずつ書かれたモデルに必要です。検出は三角形をそのまま検査します

Count overlaps that are less deep than this as touching, and detect again
Überlappungen, die weniger tief sind, als Berührung zählen und erneut prüfen
これより浅い重なりを接触とみなし、再検出します

Deep overlaps first, wide gaps last; the likelier first
Tiefe Überlappungen zuerst, weite Abstände zuletzt; Wahrscheinlicheres zuerst
深い重なりが先、広い隙間が後。可能性の高いものから

Delete the compiled kernels; the next Detect after a restart compiles them again
Die kompilierten Kernel löschen; das nächste Prüfen nach einem Neustart kompiliert sie neu
コンパイル済みカーネルを削除します。再起動後の次の検出で再びコンパイルされます

Deviation at the ends of the colour scale; automatically it is what 95 % of the points keep
Abweichung an den Enden der Farbskala; automatisch die, die 95 % der Punkte einhalten
色の目盛りの両端の偏差。自動では点の95%が収まる値です

did you mean {names}?
ist {names} gemeint?
{names} ですか?

Distance to {other} in Blender units; below 0: how deep the two overlap
Abstand zu {other} in Blender-Einheiten; unter 0: wie tief sich beide überlappen
{other} までの距離 (Blender単位)。0未満: 重なりの深さ

Do not test objects that are deformed by the same armature
Objekte nicht prüfen, die dieselbe Armatur verformt
同じアーマチュアで変形するオブジェクトどうしは検査しません

Do not test objects that are in the same collection
Objekte derselben Sammlung nicht prüfen
同じコレクションのオブジェクトどうしは検査しません

Do not test objects that have the same parent, nor a parent with its child
Objekte mit demselben Elternobjekt nicht prüfen, auch Eltern nicht mit ihren Kindern
同じ親を持つオブジェクトどうし、親と子は検査しません

Draw and measure the solid that the selected pair has in common, as the two objects stand
Den Körper zeichnen und messen, den die beiden Objekte des gewählten Paars gemeinsam haben, wie sie stehen
選択したペアが今の位置で共有する立体を描き、測ります

Draw no bounding volumes any more, and free them
Keine Hüllvolumen mehr zeichnen und sie freigeben
バウンディングボリュームを消し、解放します

Draw no voxels any more, and free them
Keine Voxel mehr zeichnen und sie freigeben
ボクセルを消し、解放します

Draw the bounding volumes of the active object, level by level
Die Hüllvolumen des aktiven Objekts Ebene für Ebene zeichnen
アクティブオブジェクトのバウンディングボリュームをレベルごとに描きます

Draw the common solid no more, and free it
Den gemeinsamen Körper nicht mehr zeichnen und freigeben
共通の立体の表示をやめ、解放します

Draw the contacting faces in the 3D viewports
Die berührenden Flächen in den 3D-Ansichten zeichnen
3Dビューに接触面を描きます

Draw the curves along which surfaces cross, and gaps with their length
Die Kurven zeichnen, in denen sich Flächen schneiden, und Abstände mit ihrer Länge
面が交わる曲線と、長さ付きの隙間を描きます

Draw the events as a strip in timelines and dope sheets
Die Ereignisse als Streifen in Zeitleisten und Dope Sheets zeichnen
タイムラインとドープシートにイベントを帯で描きます

Draw the measured points in colours, with a legend
Die gemessenen Punkte in Farben zeichnen, mit Legende
測定した点を凡例付きで色分けして描きます

Draw the voxels that the surfaces of the selected pair share, as the two objects stand
Die Voxel zeichnen, die die Flächen des gewählten Paars teilen, so wie beide Objekte stehen
選択したペアのサーフェスが共有するボクセルを、現在の位置で描きます

Empty the result list and remove the overlay
Die Ergebnisliste leeren und die Überlagerung entfernen
結果リストを空にし、オーバーレイを消します

Every object of set A whose surface crosses itself: folds of cloth, joints of a skin
Jedes Objekt der Menge A, dessen Fläche sich selbst schneidet: Falten von Stoff, Gelenke einer Haut
面が自分自身と交わるセットAのオブジェクト: 布のしわ、スキンの関節

Every pair of objects nearer than the tolerance, with the gap and the faces that come that near
Jedes Paar, das näher ist als die Toleranz, mit dem Abstand und den Flächen, die so nah kommen
許容値より近いすべてのペアと、その隙間、近づく面

Every pair of objects that touch, clash, contain or duplicate each other
Jedes Paar, das sich berührt, kollidiert, enthält oder doppelt
接触、干渉、内包、重複するすべてのペア

Every pair of objects whose surfaces meet or may meet, and how sure that is within a time budget
Jedes Paar, dessen Flächen sich treffen oder treffen könnten, und wie sicher das in einem Zeitbudget ist
面が交わる、または交わりうるペアと、時間予算内での確からしさ

Every pair of objects whose surfaces meet, found anew without preparation: for cloth and simulations whose faces change from frame to frame. What lies wholly inside another object is not seen
Jedes Paar, dessen Flächen sich treffen, ohne Vorbereitung neu gefunden: für Stoff und Simulationen, deren Flächen von Bild zu Bild wechseln. Was ganz in einem anderen Objekt liegt, wird nicht gesehen
面が交わるすべてのペアを準備なしで毎回見つけます: フレームごとに面が変わる布やシミュレーション向け。完全に内側にあるものは見つかりません

Faces in contact, of both objects together; points of scans
Berührende Flächen beider Objekte zusammen; bei Scans Punkte
両オブジェクトの接触面の合計。スキャンでは点

Find all pairs of objects of set A and set B that clash or touch
Alle Paare von Objekten der Mengen A und B finden, die kollidieren oder sich berühren
セットAとセットBのオブジェクトで、干渉または接触するすべてのペアを見つけます

Find out when which objects clash: all frames, one after the other. ESC stops it and keeps what was found
Herausfinden, wann welche Objekte kollidieren: alle Bilder, eins nach dem anderen. ESC hält an und behält, was gefunden ist
どのオブジェクトがいつ干渉するかを全フレーム順に調べます。ESCで停止し、見つかったものは残ります

Find screws in tapped holes and press fits among the listed clashes, and select them, to be approved in one go
Schrauben in Gewindelöchern und Presspassungen unter den gelisteten Kollisionen finden und wählen, um sie auf einmal zu genehmigen
表示中の干渉からねじ穴のねじと圧入を見つけて選択し、まとめて承認できるようにします

Find the direction and the length by which B is moved out of A, as the objects stand; ESC keeps what was found
Richtung und Länge finden, um die B aus A bewegt wird, wie die Objekte stehen; ESC behält, was gefunden ist
今の位置でBをAの外へ動かす方向と長さを見つけます。ESCで見つかったものを残します

Find what passes through each other between two frames, too: objects that keep their shape are taken to move evenly from one frame to the next
Auch finden, was sich zwischen zwei Bildern durchdringt: Objekte, die ihre Form behalten, bewegen sich gleichmäßig von einem Bild zum nächsten
2つのフレームの間で通り抜けるものも見つけます: 形の変わらないオブジェクトは次のフレームへ一様に動くとみなします

First frame to scan
Erstes Bild, das geprüft wird
走査する最初のフレーム

First object of the excluded pair
Erstes Objekt des ausgeschlossenen Paars
除外ペアの最初のオブジェクト

First object of the fit; * stands for any letters
Erstes Objekt der Passung; * steht für beliebige Zeichen
はめあいの最初のオブジェクト。*は任意の文字です

Forget the events of the last scan; markers, curves and heat maps stay
Die Ereignisse der letzten Prüfung vergessen; Marker, Kurven und Heatmaps bleiben
前回の走査のイベントを消します。マーカー、カーブ、ヒートマップは残ります

Forget what was done to groups by hand: names, groups that were split and put together
Vergessen, was von Hand an Gruppen getan wurde: Namen, geteilte und zusammengelegte Gruppen
グループへの手作業を取り消します: 名前、分割、統合

Found before, and by the last detection
Schon früher gefunden, und von der letzten Prüfung
以前にも、最後の検出でも見つかったもの

Found by the last detection after it was gone
Von der letzten Prüfung gefunden, nachdem es fort war
消えたあと、最後の検出で再び見つかったもの

frame {frame}
Bild {frame}
フレーム {frame}

frames {first} to {last}
Bilder {first} bis {last}
フレーム {first} から {last}

From the first frame of the event to the last
Vom ersten Bild des Ereignisses bis zum letzten
イベントの最初から最後のフレームまで

Give all faces of the scene the material that they had before Assign Highlight Material
Allen Flächen der Szene das Material geben, das sie vor dem Zuweisen hatten
すべての面を強調マテリアル割り当て前のマテリアルに戻します

Give the contacting faces a highlight material; Restore Materials takes it away again
Den berührenden Flächen ein auffälliges Material geben; Materialien wiederherstellen nimmt es zurück
接触面に強調マテリアルを割り当てます。マテリアルの復元で元に戻ります

Give the group a name; without one it has its reason
Der Gruppe einen Namen geben; ohne einen trägt sie ihren Grund
グループに名前を付けます。なければ理由が名前になります

Hidden objects and those outside of the sets take no part: show them, or choose other sets
Versteckte Objekte und solche außerhalb der Mengen nehmen nicht teil: sie einblenden oder andere Mengen wählen
非表示のオブジェクトとセット外のものは対象外です: 表示するか別のセットを選んでください

Hide all other objects (local view)
Alle anderen Objekte ausblenden (lokale Ansicht)
他のオブジェクトをすべて隠します (ローカルビュー)

How certain the verdict is
Wie sicher der Befund ist
判定の確かさ

How deep they overlap, how far apart they are, or how likely they meet
Wie tief sie sich überlappen, wie weit sie auseinander sind oder wie wahrscheinlich sie sich treffen
重なりの深さ、離れている距離、または交わる確率

How deep to look: 0 is the volume around everything
Wie tief geschaut wird: 0 ist das Volumen um alles
見る深さ: 0は全体を囲むボリューム

How far a point of a scan shapes the surface; longer smooths more. Automatically it follows the spacing and the noise
Wie weit ein Punkt eines Scans die Fläche formt; länger glättet mehr. Automatisch folgt sie Abstand und Rauschen
スキャンの点が面に影響する距離。長いほど滑らかになります。自動では間隔とノイズに従います

How triangles are divided among volumes
Wie Dreiecke auf Volumen verteilt werden
三角形をボリュームに分ける方法

How urgent it is: low, normal, high or critical
Wie dringend es ist: niedrig, normal, hoch oder kritisch
緊急度: 低、通常、高、重大

How urgent they are
Wie dringend sie sind
緊急度

Import the points of a scan; large coordinates keep their precision
Die Punkte eines Scans importieren; große Koordinaten behalten ihre Genauigkeit
スキャンの点を読み込みます。大きな座標も精度を保ちます

In the order of the report
In der Reihenfolge des Berichts
レポートの順

Intersection curves
Schnittkurven
交線

Keep the test and its options under a name, for all files
Den Test und seine Optionen unter einem Namen behalten, für alle Dateien
テストと設定に名前を付け、すべてのファイル用に残します

Keep what Detect asks now as a test with a name
Behalten, was Prüfen jetzt fragt, als Test mit Namen
今の検出の内容を名前付きテストとして残します

Kind of bounding volume
Art des Hüllvolumens
バウンディングボリュームの種類

Kinds of the two objects, and the size of the interference
Arten der beiden Objekte, und die Größe der Überlappung
2つのオブジェクトの種類と、干渉の大きさ

Kinds of the two objects: names without numbers of copies
Arten der beiden Objekte: Namen ohne Nummern von Kopien
2つのオブジェクトの種類: コピー番号を除いた名前

Last frame to scan
Letztes Bild, das geprüft wird
走査する最後のフレーム

Least squares without the shrinking of curved parts
Kleinste Quadrate, ohne dass gekrümmte Teile schrumpfen
曲がった部分が縮まない最小二乗法

Least squares: smoother, and curved parts shrink
Kleinste Quadrate: glatter, und gekrümmte Teile schrumpfen
最小二乗法。より滑らかですが、曲がった部分は縮みます

Leave a comment on the group, with your name and the time
Die Gruppe kommentieren, mit Ihrem Namen und der Zeit
名前と時刻付きでグループにコメントします

Leave out pairs that the list does not show
Paare auslassen, die die Liste nicht zeigt
リストに表示していないペアを除きます

Length of a voxel's sides; 0: the number above counts
Seitenlänge eines Voxels; 0: die Anzahl oben gilt
ボクセルの辺の長さ。0: 上の数を使います

Lengths in the file are centimetres
Längen in der Datei sind Zentimeter
ファイルの長さはセンチメートル

Lengths in the file are inches
Längen in der Datei sind Zoll
ファイルの長さはインチ

Lengths in the file are international feet
Längen in der Datei sind internationale Fuß
ファイルの長さは国際フィート

Lengths in the file are kilometres
Längen in der Datei sind Kilometer
ファイルの長さはキロメートル

Lengths in the file are metres
Längen in der Datei sind Meter
ファイルの長さはメートル

Lengths in the file are millimetres
Längen in der Datei sind Millimeter
ファイルの長さはミリメートル

Lengths in the file are US survey feet
Längen in der Datei sind US-Vermessungsfuß
ファイルの長さは米国測量フィート

Let contacting faces shine through what lies in front of them
Berührende Flächen durch das scheinen lassen, was vor ihnen liegt
手前にあるものを通して接触面を見せます

List all pairs again, whatever was asked of the list
Wieder alle Paare listen, was auch gefragt war
絞り込みをやめ、すべてのペアを表示します

List clashes
Kollisionen listen
干渉を表示します

List objects that lie wholly inside another
Objekte listen, die ganz in einem anderen liegen
他のオブジェクトの内側にあるものを表示します

List objects that occupy the same space
Objekte listen, die denselben Raum einnehmen
同じ場所を占めるオブジェクトを表示します

List only the pairs of the selected objects
Nur die Paare der ausgewählten Objekte listen
選択したオブジェクトのペアだけを表示します

List pairs at these frames, as 12 or 5-30; empty: all frames
Paare in diesen Bildern listen, als 12 oder 5-30; leer: alle
これらのフレームのペアを表示します (12 または 5-30)。空欄: すべて

List pairs of which Live only knows yet that they meet
Paare listen, von denen Live erst weiß, dass sie sich treffen
ライブが交わることだけ知っているペアを表示します

List pairs of which this became; press Shift to choose several; none for all
Paare listen, aus denen dies wurde; mit Umschalt mehrere; keines für alle
この変化のペアを表示します。Shiftで複数選択、なしで全部

List pairs that are apart, with their distance
Paare listen, die getrennt sind, mit ihrem Abstand
離れているペアを距離付きで表示します

List pairs that are nearer than the tolerance
Paare listen, die näher sind als die Toleranz
許容値より近いペアを表示します

List pairs that certainly meet
Paare listen, die sich sicher treffen
確実に交わるペアを表示します

List pairs that may meet, but probably do not
Paare listen, die sich treffen könnten, aber wohl nicht
交わるかもしれないが、おそらく交わらないペアを表示します

List pairs that meet more likely than not
Paare listen, die sich eher treffen als nicht
交わる可能性の高いペアを表示します

List pairs that this person takes care of; empty: all pairs
Paare listen, für die diese Person zuständig ist; leer: alle
この担当者のペアを表示します。空欄: すべて

List pairs that touch without common volume
Paare listen, die sich ohne gemeinsames Volumen berühren
共通体積なしで接触するペアを表示します

List pairs whose names contain these words, in any order
Paare listen, deren Namen diese Wörter enthalten, in beliebiger Folge
名前にこれらの語を (順不同で) 含むペアを表示します

List pairs with at least so much volume in common; also those of which it is not known
Paare mit mindestens so viel gemeinsamem Volumen listen; auch die, deren Volumen nicht bekannt ist
共通体積がこれ以上のペアを表示します。不明なものも含みます

List pairs with these statuses; press Shift to choose several
Paare mit diesem Status listen; mit Umschalt mehrere
これらのステータスのペアを表示します。Shiftで複数選択

List the events of this scene again; the list shows one scene at a time
Die Ereignisse dieser Szene wieder listen; die Liste zeigt eine Szene auf einmal
このシーンのイベントを再び表示します。リストは一度に1シーンだけです

List the pairs that were said to be resolved, and that the last detection found all the same
Die Paare listen, die als gelöst galten und die letzte Prüfung trotzdem fand
解決済みとされたのに、最後の検出で見つかったペアを表示します

List the results at full width, in a window or below the view; it is saved with the file like all windows
Die Ergebnisse in voller Breite listen, in einem Fenster oder unter der Ansicht; mit der Datei gespeichert wie alle Fenster
結果を全幅で、ウィンドウまたはビューの下に表示します。他のウィンドウと同じくファイルに保存されます

List the results of this scene again; the list shows one scene at a time
Die Ergebnisse dieser Szene wieder listen; die Liste zeigt eine Szene auf einmal
このシーンの結果を再び表示します。リストは一度に1シーンだけです

List what this test found alone; empty: what all tests found
Listen, was dieser Test allein fand; leer: was alle Tests fanden
このテストだけの結果を表示します。空欄: すべてのテスト

Live follows the frames: stop it first
Live folgt den Bildern: zuerst anhalten
ライブがフレームを追っています: 先に停止してください

Look at the common solid from near by
Den gemeinsamen Körper aus der Nähe ansehen
共通の立体を近くから見ます

Look for an NVIDIA GPU that can be used, and say which one or why not
Eine verwendbare NVIDIA-GPU suchen und sagen, welche es ist oder warum nicht
使えるNVIDIA GPUを探し、名前または使えない理由を示します

Looked at; it may stay as it is
Angesehen; es darf so bleiben
確認済み。このままでよい

Looked at; something has to be done
Angesehen; es ist etwas zu tun
確認済み。対応が必要

Make a group of the pairs that are selected together (Ctrl or Shift in the list)
Aus den gemeinsam gewählten Paaren eine Gruppe machen (Strg oder Umschalt in der Liste)
一緒に選択したペア (リストでCtrlまたはShift) からグループを作ります

Make a shape key of the active object that moves its vertices out of what it clashes with, in those frames
Einen Formschlüssel des aktiven Objekts machen, der seine Punkte in diesen Bildern aus dem bewegt, womit es kollidiert
該当フレームで、アクティブオブジェクトの頂点を干渉相手の外へ動かすシェイプキーを作ります

Make a test for each pair of disciplines, which ask what Detect asks now
Für jedes Paar von Gewerken einen Test machen, der fragt, was Prüfen jetzt fragt
分野のペアごとに、今の検出と同じ内容のテストを作ります

Make a vertex group of each mesh that clashes: the hotter its faces are, the greater the weight
Eine Vertexgruppe jedes kollidierenden Netzes machen: je heißer die Flächen, desto größer das Gewicht
干渉する各メッシュに頂点グループを作ります: 面が熱いほどウェイトが大きくなります

Make everything transparent but the two objects of the selected pair
Alles durchsichtig machen außer den beiden Objekten des gewählten Paars
選択したペアの2つのオブジェクト以外を透明にします

Make the common solid an object of the scene
Aus dem gemeinsamen Körper ein Objekt der Szene machen
共通の立体をシーンのオブジェクトにします

Measure how far the scans of set A lie from the objects of set B, and write it to their points
Messen, wie weit die Scans der Menge A von den Objekten der Menge B liegen, und es an ihre Punkte schreiben
セットAのスキャンとセットBのオブジェクトの距離を測り、点に書き込みます

Measure how much volume the two objects of each clash have in common, between bounds; both must be closed. It takes some tens of milliseconds a pair, and Live does without it
Messen, wie viel Volumen die beiden Objekte jeder Kollision gemeinsam haben, zwischen Schranken; beide müssen geschlossen sein. Es dauert einige zehn Millisekunden je Paar, und Live verzichtet darauf
各干渉の共通体積を上下限付きで測ります。両方が閉じている必要があります。1ペアに数十ミリ秒かかり、ライブでは測りません

Measure the distance, or depth, of pairs in all frames, and make it animated custom properties
Abstand oder Tiefe von Paaren in allen Bildern messen und als animierte Eigenschaften ablegen
全フレームでペアの距離または深さを測り、アニメーション付きカスタムプロパティにします

Measure which bounding volumes and which builder suit the two selected objects as they stand
Messen, welche Hüllvolumen und welcher Aufbau zu den beiden gewählten Objekten passen, so wie sie stehen
選択した2つのオブジェクトに合うバウンディングボリュームと構築方法を、現在の位置で測定します

Milliseconds that all pairs of a frame may take together: the most likely ones come first
Millisekunden, die alle Paare eines Bildes zusammen brauchen dürfen: die wahrscheinlichsten zuerst
1フレームの全ペアに使えるミリ秒: 可能性の高いものから調べます

Milliseconds that Live may take for an answer; while complete answers take longer, it only shows which objects meet, and completes the answer when the scene is quiet
Millisekunden, die Live für eine Antwort brauchen darf; solange vollständige Antworten länger dauern, zeigt es nur, welche Objekte sich treffen, und vervollständigt sie, wenn die Szene ruht
ライブの1回の答えに使えるミリ秒。完全な答えがそれより長い間は交わるオブジェクトだけを示し、シーンが静止すると完成させます

Most points of a scan that Detect uses; of more, a part is taken that is spread evenly
Höchstzahl der Punkte eines Scans, die Prüfen verwendet; von mehr wird ein gleichmäßig verteilter Teil genommen
検出が使うスキャンの点の上限。多い場合は均等に間引きます

Most points that are drawn with their deviation
Höchstzahl der Punkte, die mit ihrer Abweichung gezeichnet werden
偏差付きで描く点の上限

Most triangles of a massive model that are shown at a time
Höchstzahl der Dreiecke eines Massenmodells, die auf einmal gezeigt werden
一度に表示する大規模モデルの三角形の上限

Name of the attribute on points that holds the measured deviation; empty: none
Name des Attributs der Punkte, das die gemessene Abweichung hält; leer: keines
測定した偏差を持つ点の属性名。空欄: なし

Name of the boolean face attribute that marks contacting faces
Name des booleschen Flächenattributs, das berührende Flächen kennzeichnet
接触面を示すブール型の面属性の名前

Name of the custom property
Name der benutzerdefinierten Eigenschaft
カスタムプロパティの名前

Never test the listed pairs again; they go to the list of excluded pairs
Die gelisteten Paare nie wieder prüfen; sie kommen auf die Liste der ausgeschlossenen
表示中のペアを今後検査しません。除外ペアのリストに入ります

Never test this pair again; it goes to the list of excluded pairs
Dieses Paar nie wieder prüfen; es kommt auf die Liste der ausgeschlossenen
このペアを今後検査しません。除外ペアのリストに入ります

New ones first, then those that are back, then all others
Neue zuerst, dann wiedergekehrte, dann alle anderen
新しいもの、再発したもの、その他の順

Not found by any detection before the last one
Von keiner Prüfung vor der letzten gefunden
最後の検出で初めて見つかったもの

Not looked at yet
Noch nicht angesehen
まだ見ていません

Nothing lies inside this object, open or closed: a garment, a helmet, a lampshade, a room without thick walls. What crosses it clashes as before. Alt-click sets it for all selected objects
Nichts liegt in diesem Objekt, ob offen oder geschlossen: Kleidung, Helm, Lampenschirm, Raum ohne dicke Wände. Was es schneidet, kollidiert wie zuvor. Alt-Klick setzt es für alle ausgewählten Objekte
開いていても閉じていても、このオブジェクトの内側には何もないとみなします: 衣服、ヘルメット、ランプシェード、壁の薄い部屋。交わるものは従来どおり干渉です。Alt+クリックで選択中のすべてに設定します

Object of set A
Objekt der Menge A
セットAのオブジェクト

Object of set B
Objekt der Menge B
セットBのオブジェクト

Object to look at; empty: the active one
Betrachtetes Objekt; leer: das aktive
対象のオブジェクト。空欄: アクティブなもの

Objects by name, material, property, IFC class or storey
Objekte nach Name, Material, Eigenschaft, IFC-Klasse oder Geschoss
名前、マテリアル、プロパティ、IFCクラス、階によるオブジェクト

Objects closer than this count as touching although they share no point
Objekte, die näher sind, gelten als berührend, obwohl sie keinen Punkt teilen
これより近いオブジェクトは、共有する点がなくても接触とみなします

Objects from which the GPU compares their bounding boxes, 0 for never
Objekte, ab denen die GPU ihre Hüllquader vergleicht, 0 für nie
GPUでバウンディングボックスを比較し始めるオブジェクト数。0で使いません

Objects nearer to each other than this are too near; until set, it suits the scene's size
Objekte, die einander näher sind, sind zu nah; bis sie gesetzt ist, passt sie zur Größe der Szene
これより近いオブジェクトは近すぎます。設定するまではシーンの大きさに合わせます

Objects of the first set
Objekte der ersten Menge
最初のセットのオブジェクト

Objects of the second set
Objekte der zweiten Menge
二番目のセットのオブジェクト

Of all pairs that are listed, or are selected together
Aller Paare, die gelistet oder zusammen gewählt sind
表示中、またはまとめて選択したすべてのペア

Of each selected object with each other
Jedes ausgewählten Objekts mit jedem anderen
選択オブジェクトの全組み合わせ

Of the pair of each event, the worst first
Des Paars jedes Ereignisses, das schlimmste zuerst
各イベントのペア (深刻な順)

Of the pair selected in the list
Des in der Liste gewählten Paars
リストで選択したペア

Of the selected event or pair, or of two selected objects
Des gewählten Ereignisses oder Paars, oder zweier ausgewählter Objekte
選択したイベントかペア、または2つの選択オブジェクト

One line per pair, for a spreadsheet
Eine Zeile je Paar, für eine Tabelle
ペアごとに1行。表計算用

one moment
ein Moment
1つの時点

One object
Ein Objekt
1つのオブジェクト

One of the same name is replaced
Ein gleichnamiger wird ersetzt
同名のものは置き換えます

Only an installed extension has a cache folder of its own
Nur eine installierte Erweiterung hat einen eigenen Ordner
専用のキャッシュフォルダーがあるのはインストール済みの拡張だけです

Only pairs of the two sets are tested: choose Everything to see all others
Nur Paare der zwei Mengen werden geprüft: Alles wählen, um die anderen zu sehen
2 つのセットのペアだけを検査します: 他も見るには「すべて」を選んでください

Options, Exclude leaves out pairs: try without
Optionen, Ausschließen lässt Paare aus: ohne versuchen
オプションの除外はペアを省きます: 外して試してください

Overlaps that the stored coordinates cannot tell from flush, however coarse
Überlappungen, die die gespeicherten Koordinaten nicht von bündig unterscheiden, wie grob auch immer
どれほど粗くても、保存された座標が面一と区別できない重なり

Overlaps that the stored coordinates cannot tell from flush; coarser than 0.1 mm they are only warned of
Überlappungen, die die gespeicherten Koordinaten nicht von bündig unterscheiden; gröber als 0,1 mm wird nur gewarnt
保存された座標が面一と区別できない重なり。0.1 mmより粗い場合は警告のみ

Overlaps up to a length (press fits, welds)
Überlappungen bis zu einer Länge (Presspassungen, Schweißnähte)
ある長さまでの重なり (圧入、溶接)

Pair selected in the list of excluded pairs
In der Liste der ausgeschlossenen gewähltes Paar
除外リストで選択中のペア

Panels and a menu for statistics, hierarchies, the advisor and common voxels
Bedienfelder und ein Menü für Statistik, Hierarchien, Ratgeber und gemeinsame Voxel
統計、階層、アドバイザー、共通ボクセルのパネルとメニュー

Permit an overlap to a pair of names, at first to the selected pair the one that it has
Einem Paar von Namen eine Überlappung erlauben, zuerst dem gewählten Paar die seine
名前の組に重なりを許可します。最初は選択したペアの現在の重なりです

Points of a scan from which the GPU measures it, 0 for never
Punkte eines Scans, ab denen die GPU ihn misst, 0 für nie
GPUで測定し始めるスキャンの点数。0で使いません

Polytopes with 14 fixed directions
Polytope mit 14 festen Richtungen
14の固定方向の多面体

Polytopes with 18 fixed directions
Polytope mit 18 festen Richtungen
18の固定方向の多面体

Polytopes with 26 fixed directions
Polytope mit 26 festen Richtungen
26の固定方向の多面体

Polytopes with 6 fixed directions
Polytope mit 6 festen Richtungen
6つの固定方向の多面体

Put a marker into the timeline for each event; those of an earlier scan go
Für jedes Ereignis einen Marker in die Zeitleiste setzen; die einer früheren Prüfung gehen
イベントごとにタイムラインにマーカーを置きます。以前の走査のものは消えます

Put the group into another one; pairs that a later detection finds in it follow
Die Gruppe in eine andere legen; Paare, die eine spätere Prüfung darin findet, folgen
グループを別のグループに統合します。後の検出で見つかるペアも従います

Put what the test asks into the panel Detect, to be changed or asked alone
Was der Test fragt, in die Tafel Prüfen setzen, um es zu ändern oder allein zu fragen
テストの内容を検出パネルに入れ、変更したり単独で実行したりできます

Read triangles directly from Blender's memory, checked against the documented way on first use
Dreiecke direkt aus Blenders Speicher lesen, beim ersten Mal gegen den dokumentierten Weg geprüft
三角形をBlenderのメモリから直接読みます。初回に公式の方法と照合します

Remove the attributes and colours of the heat map from all meshes of the scene
Attribute und Farben der Heatmap von allen Netzen der Szene entfernen
シーンの全メッシュからヒートマップの属性と色を削除します

Remove the boolean face attribute from all meshes of the scene
Das boolesche Flächenattribut von allen Netzen der Szene entfernen
シーンの全メッシュからブール型の面属性を削除します

Remove the markers of events from the timeline; all others stay
Die Marker von Ereignissen aus der Zeitleiste entfernen; alle anderen bleiben
タイムラインからイベントのマーカーを削除します。他は残ります

Remove the measured values from the scene's points, and the drawing of them
Die gemessenen Werte von den Punkten der Szene entfernen, und ihre Zeichnung
シーンの点から測定値とその表示を削除します

Remove the test, or all of them
Den Test entfernen, oder alle
テストを、またはすべてのテストを削除します

Results for code hosts and their viewers
Ergebnisse für Code-Plattformen und ihre Betrachter
コードホスティングとビューアー用の結果

Row selected in the table of fits
In der Tabelle der Passungen gewählte Zeile
はめあい表で選択中の行

Run all tests that are ticked, and list what they find together
Alle angehakten Tests ausführen und zusammen listen, was sie finden
チェックしたテストをすべて実行し、結果をまとめて表示します

Run this test together with the others
Diesen Test zusammen mit den anderen ausführen
このテストを他と一緒に実行します

Said to be resolved before the last detection found them
Galten als gelöst, bevor die letzte Prüfung sie fand
解決済みとされたあと、最後の検出で見つかったもの

Saved with the file and kept when the pair is found again
Mit der Datei gespeichert und behalten, wenn das Paar wieder gefunden wird
ファイルに保存され、ペアが再び見つかっても残ります

Saved with the file: press Detect to see faces
Mit der Datei gespeichert: Prüfen zeigt die Flächen
ファイルに保存済み: 面を見るには「検出」を押してください

Say the same of all pairs that are listed
Dasselbe von allen gelisteten Paaren sagen
表示中のすべてのペアに同じ評価を付けます

Say what you think of the selected pair while the mouse is over the list
Sagen, was Sie vom gewählten Paar halten, während die Maus über der Liste ist
マウスがリスト上にあるとき、選択したペアを評価します

Say what you think of the selected pair; saved with the file and kept when the pair is found again
Sagen, was Sie vom gewählten Paar halten; mit der Datei gespeichert und behalten, wenn das Paar wieder gefunden wird
選択したペアを評価します。ファイルに保存され、ペアが再び見つかっても残ります

Say who takes care of all listed pairs, how urgent they are and until when, and leave a comment
Sagen, wer für alle gelisteten Paare zuständig ist, wie dringend sie sind und bis wann, und kommentieren
表示中の全ペアの担当者、緊急度、期限を決め、コメントします

Scan every so many frames
Jedes so vielte Bild prüfen
この間隔でフレームを走査します

Scan other frames than those that the scene plays
Andere Bilder prüfen als die, die die Szene abspielt
シーンの再生範囲と異なるフレームを走査します

Scan the timeline first: there are no events
Zuerst die Zeitleiste prüfen: es gibt keine Ereignisse
先にタイムラインを走査してください: イベントがありません

scan the timeline first: there are no events
zuerst die Zeitleiste prüfen: es gibt keine Ereignisse
先にタイムラインを走査してください: イベントがありません

Scan the timeline, and make a mesh that clashes the active object
Die Zeitleiste prüfen und ein Netz, das kollidiert, zum aktiven Objekt machen
タイムラインを走査し、干渉するメッシュをアクティブオブジェクトにしてください

Second object of the excluded pair
Zweites Objekt des ausgeschlossenen Paars
除外ペアの2番目のオブジェクト

Second object of the fit; * stands for any letters
Zweites Objekt der Passung; * steht für beliebige Zeichen
はめあいの二番目のオブジェクト。*は任意の文字です

Select a mesh that is no massive file yet
Ein Netz auswählen, das noch keine Massendatei ist
まだ大規模ファイルでないメッシュを選択してください

Select a pair to select, frame and isolate its two objects
Ein Paar wählen, um seine beiden Objekte auszuwählen, einzurahmen und zu isolieren
ペアを選ぶと、2つのオブジェクトを選択し、枠に収め、分離します

Select an event to go to its worst frame and select its two objects
Ein Ereignis wählen, um zu seinem schlimmsten Bild zu gehen und seine beiden Objekte auszuwählen
イベントを選ぶと、最も深刻なフレームに移り、2つのオブジェクトを選択します

Select an event, a pair, or two objects
Ein Ereignis, ein Paar oder zwei Objekte wählen
イベント、ペア、または2つのオブジェクトを選択してください

select an event, a pair, or two objects
ein Ereignis, ein Paar oder zwei Objekte wählen
イベント、ペア、または2つのオブジェクトを選択してください

Select an object that stands for a massive file
Ein Objekt auswählen, das für eine Massendatei steht
大規模ファイルを表すオブジェクトを選択してください

Select pairs in the list with Ctrl or Shift first
Zuerst mit Strg oder Umschalt Paare in der Liste wählen
先にCtrlまたはShiftでリストのペアを選択してください

Select the contacting faces of both objects in Edit Mode
Die berührenden Flächen beider Objekte im Bearbeitungsmodus auswählen
編集モードで両オブジェクトの接触面を選択します

Select the next pair of the list while the mouse is over it
Das nächste Paar der Liste wählen, während die Maus über ihr ist
マウスがリスト上にあるとき、次のペアを選択します

Select the next pair of the list, on whatever page it is
Das nächste Paar der Liste wählen, auf welcher Seite es auch ist
どのページにあっても、リストの次のペアを選択します

Select the objects of all listed pairs, and look at them together
Die Objekte aller gelisteten Paare auswählen und zusammen ansehen
表示中の全ペアのオブジェクトを選択し、まとめて見ます

Select the previous pair of the list, on whatever page it is
Das vorige Paar der Liste wählen, auf welcher Seite es auch ist
どのページにあっても、リストの前のペアを選択します

Select the two objects to measure
Die zwei Objekte auswählen, die gemessen werden
測定する2つのオブジェクトを選択してください

Select this event, and go to its worst frame
Dieses Ereignis wählen und zu seinem schlimmsten Bild gehen
このイベントを選択し、最も深刻なフレームに移ります

Select this pair; with Ctrl or Shift several
Dieses Paar wählen; mit Strg oder Umschalt mehrere
このペアを選択します。CtrlまたはShiftで複数

select two objects, or more
zwei oder mehr Objekte wählen
2つ以上のオブジェクトを選択してください

Settings changed since: {names}. The list is the answer to the old ones
Einstellungen seither verändert: {names}. Die Liste beantwortet die alten
その後変更された設定: {names}。リストは以前の設定の答えです

Show another page of the list
Eine andere Seite der Liste zeigen
リストの別のページを表示します

Show every listed clash, and the selected pair whatever it is
Jede gelistete Kollision zeigen, und das gewählte Paar, was es auch ist
表示中のすべての干渉と、選択したペアを描きます

Show everything as it is
Alles zeigen, wie es ist
すべてをそのまま表示します

Show only the pair selected in the list
Nur das in der Liste gewählte Paar zeigen
リストで選択したペアだけを描きます

Show only the two objects of the selected pair (local view)
Nur die beiden Objekte des gewählten Paars zeigen (lokale Ansicht)
選択したペアの2つのオブジェクトだけを表示します (ローカルビュー)

Show only what lies around the common solid: the rest of the scene is cut away in this view; again: show all
Nur zeigen, was um den gemeinsamen Körper liegt: der Rest der Szene ist in dieser Ansicht weggeschnitten; erneut: alles zeigen
共通の立体の周囲だけを表示し、残りはこのビューで切り取ります。もう一度: すべて表示

Show the active massive model as this view needs it: finer where it is near, within the number of triangles
Das aktive Massenmodell zeigen, wie diese Ansicht es braucht: feiner, wo es nah ist, innerhalb der Zahl der Dreiecke
アクティブな大規模モデルをこのビューに合わせて表示します: 三角形の数の範囲で、近いほど細かく

Show the common solid of a pair first
Zuerst den gemeinsamen Körper eines Paars zeigen
先にペアの共通の立体を表示してください

Some day
Irgendwann
いつか

Sort the list by this column; another click sorts it the other way round
Die Liste nach dieser Spalte sortieren; ein weiterer Klick kehrt die Reihenfolge um
この列で並べ替えます。もう一度クリックすると逆順になります

Spheres around points
Kugeln um Punkte
点を中心とする球

Spheres swept along rectangles
Entlang von Rechtecken bewegte Kugeln
矩形に沿ってスイープした球

Spheres swept along segments
Entlang von Strecken bewegte Kugeln
線分に沿ってスイープした球

Spheres that fit points and normals; scans without normals are left out
Kugeln, die zu Punkten und Normalen passen; Scans ohne Normalen bleiben weg
点と法線に合う球。法線のないスキャンは除かれます

Stop the running detection (also ESC); the results of the last one stay
Die laufende Prüfung anhalten (auch ESC); die Ergebnisse der letzten bleiben
実行中の検出を停止します (ESCでも)。前回の結果は残ります

Sub-assemblies, as one part each: objects with the same parent
Unterbaugruppen, jede als ein Teil: Objekte mit demselben Elternobjekt
サブアセンブリを1部品とみなします: 同じ親のオブジェクト

Take statuses and comments of the listed pairs from a BCF file that comes back, 2.1 or 3.0
Status und Kommentare der gelisteten Paare aus einer BCF-Datei übernehmen, die zurückkommt, 2.1 oder 3.0
戻ってきたBCFファイル (2.1または3.0) から、表示中のペアのステータスとコメントを取り込みます

Take tests from a JSON file of ours, or clash sets of IfcClash; those of the same name are replaced
Tests aus einer unserer JSON-Dateien oder Kollisionssätze von IfcClash übernehmen; gleichnamige werden ersetzt
本拡張のJSONファイルまたはIfcClashのクラッシュセットからテストを取り込みます。同名のものは置き換えます

Take the fit off the table: its pairs may overlap as all others may
Die Passung aus der Tabelle nehmen: ihre Paare dürfen überlappen wie alle anderen
はめあいを表から外します: そのペアは他と同じ扱いになります

Take the normals of the file, too
Auch die Normalen der Datei übernehmen
ファイルの法線も取り込みます

Take the pair off the list of excluded ones: it comes back as it was found, or is tested by the next Detect
Das Paar von der Liste der ausgeschlossenen nehmen: es kommt zurück, wie es gefunden wurde, oder wird beim nächsten Prüfen geprüft
ペアを除外リストから外します: 見つかったときのまま戻るか、次の検出で検査されます

Terms as class:IfcPipe*, material:Steel, storey:Ground, property:KEY=VALUE or NAME*, joined by & | and not
Begriffe wie class:IfcPipe*, material:Steel, storey:Ground, property:KEY=VALUE oder NAME*, verbunden mit & | und not
class:IfcPipe*、material:Steel、storey:Ground、property:KEY=VALUE、NAME* などの条件を & | not でつなぎます

Test all triangles on the CPU
Alle Dreiecke auf der CPU prüfen
すべての三角形をCPUで検査します

Test each discipline against itself, too
Jedes Gewerk auch gegen sich selbst prüfen
各分野を自身に対しても検査します

Test many triangles, and measure scans of many points, on an NVIDIA GPU; the answers are the same
Viele Dreiecke prüfen und Scans mit vielen Punkten messen auf einer NVIDIA-GPU; die Antworten sind gleich
多数の三角形の検査と点の多いスキャンの測定をNVIDIA GPUで行います。答えは同じです

Test selected in the list of tests
In der Liste der Tests gewählter Test
テストリストで選択中のテスト

Test the two objects of the selected pair once more, as they are now, and nothing else
Die beiden Objekte des gewählten Paars noch einmal prüfen, wie sie jetzt sind, und sonst nichts
選択したペアの2つのオブジェクトだけを、今の状態で再検査します

The answer is incomplete: wait for Live, or press Detect
Die Antwort ist unvollständig: auf Live warten oder Prüfen drücken
答えが不完全です: ライブを待つか「検出」を押してください

The cheapest of the three kinds of swept spheres for each node
Je Knoten die billigste der drei Arten bewegter Kugeln
ノードごとに3種のスイープ球から最も安いもの

The classes of the two objects, where their file says it
Die Klassen der beiden Objekte, wo ihre Datei sie nennt
2つのオブジェクトのクラス (ファイルにある場合)

The collections of the two objects
Die Sammlungen der beiden Objekte
2つのオブジェクトのコレクション

The distance of every pair of objects and where it is, of the nearest 1000 pairs at most
Der Abstand jedes Paars von Objekten und wo er ist, von höchstens den 1000 nächsten Paaren
すべてのペアの距離とその場所。近いものから最大1000ペア

The faces of every listed pair, but not of those that only touch or are approved
Die Flächen jedes gelisteten Paars, aber nicht derer, die sich nur berühren oder genehmigt sind
表示中の全ペアの面。ただし接触だけ、または承認済みのものは除きます

The fewest objects that have a part in all clashes
Die wenigsten Objekte, die an allen Kollisionen beteiligt sind
すべての干渉に関わる最少のオブジェクト

The first collections that have a part of the objects each
Die ersten Sammlungen, die je einen Teil der Objekte haben
オブジェクトを分けて持つ最初のコレクション

The first object
Das erste Objekt
最初のオブジェクト

The first word of names, as PIPE in PIPE-012
Das erste Wort der Namen, wie PIPE in PIPE-012
名前の最初の語 (PIPE-012 の PIPE など)

The frame in which they were tested
Das Bild, in dem sie geprüft wurden
検査したフレーム

The IFC classes of objects
Die IFC-Klassen der Objekte
オブジェクトのIFCクラス

The kinematic heuristic: volumes that cannot fit into each other
Die kinematische Heuristik: Volumen, die nicht ineinander passen
キネマティックヒューリスティック: 互いに収まらないボリューム

The last one first
Das letzte zuerst
最後のものを先に

The materials of objects
Die Materialien der Objekte
オブジェクトのマテリアル

The mean of the triangles along the longest side
Der Mittelwert der Dreiecke entlang der längsten Seite
最長辺に沿う三角形の平均

The median of the triangles along the longest side
Der Median der Dreiecke entlang der längsten Seite
最長辺に沿う三角形の中央値

The objects selected when Detect starts
Die beim Start von Prüfen ausgewählten Objekte
検出開始時に選択されているオブジェクト

The scene was changed so that it should be gone
Die Szene wurde geändert, sodass es fort sein sollte
なくなるようにシーンを変更済み

The scene was removed: Live is off
Die Szene wurde entfernt: Live ist aus
シーンが削除されたため、ライブを終了しました

The second object
Das zweite Objekt
2番目のオブジェクト

The shortest way out that was found: its length and direction
Der kürzeste gefundene Ausweg: Länge und Richtung
見つかった最短の逃がし: 長さと方向

The smallest sum of volumes, as published
Die kleinste Summe der Volumen, wie veröffentlicht
体積の合計が最小 (論文どおり)

The storeys of objects
Die Geschosse der Objekte
オブジェクトの階

The storeys of the two objects, where their file says it
Die Geschosse der beiden Objekte, wo ihre Datei sie nennt
2つのオブジェクトの階 (ファイルにある場合)

The surface area heuristic
Die Oberflächenheuristik
表面積ヒューリスティック

The test Clearance finds what comes too near, Distance how far apart all are
Der Test Mindestabstand findet, was zu nahe kommt, Abstand, wie weit alle auseinander sind
テスト「クリアランス」は近すぎるものを、「距離」はすべての間隔を見つけます

The test Intersection finds where different objects meet
Der Test Durchdringung findet, wo verschiedene Objekte sich treffen
テスト「交差」は異なるオブジェクトが交わる場所を見つけます

The test that found them
Der Test, der sie gefunden hat
これらを見つけたテスト

The values of a custom property of objects
Die Werte einer benutzerdefinierten Eigenschaft der Objekte
オブジェクトのカスタムプロパティの値

The worst verdicts first
Die schlimmsten Befunde zuerst
深刻な判定から

There are no pairs: press Detect first
Es gibt keine Paare: zuerst Prüfen drücken
ペアがありません: 先に「検出」を押してください

There are no tests yet: add one, or a matrix
Es gibt noch keine Tests: einen hinzufügen, oder eine Matrix
テストがまだありません: テストかマトリクスを追加してください

This contradicts what is proved of the pair: the bounds of the list hold
Das widerspricht dem, was vom Paar bewiesen ist: die Schranken der Liste gelten
ペアについて証明済みの値と矛盾します: リストの範囲が有効です

Those of the pair selected in the list
Die des in der Liste gewählten Paars
リストで選択したペアの面

Topics with viewpoints, for BIM programs
Themen mit Blickpunkten, für BIM-Programme
視点付きのトピック。BIMソフト用

Topics with viewpoints, for older BIM programs
Themen mit Blickpunkten, für ältere BIM-Programme
視点付きのトピック。古いBIMソフト用

Triangles from which the GPU finds distances, 0 for never
Dreiecke, ab denen die GPU Abstände bestimmt, 0 für nie
GPUで距離を求め始める三角形数。0で使いません

Triangles from which the GPU tests clearances, 0 for never
Dreiecke, ab denen die GPU Mindestabstände prüft, 0 für nie
GPUでクリアランスを検査し始める三角形数。0で使いません

Triangles in the order of a Morton curve: built fastest
Dreiecke in der Reihenfolge einer Morton-Kurve: am schnellsten aufgebaut
モートン曲線順の三角形: 構築が最速

Triangles of all pairs of objects together from which the GPU is used
Dreiecke aller Objektpaare zusammen, ab denen die GPU benutzt wird
GPUを使い始める、全オブジェクトペアの三角形の合計

Until when, as 2026-12-24
Bis wann, als 2026-12-24
期限 (2026-12-24 の形式)

Until when, as 2026-12-24; empty: as it is
Bis wann, als 2026-12-24; leer: wie es ist
期限 (2026-12-24 の形式)。空欄: 変更なし

Up to what the coordinates cannot tell from flush
Bis zu dem, was die Koordinaten nicht von bündig unterscheiden
座標では面一と区別できない深さまで

Volumes weighted by their number of triangles
Nach Zahl der Dreiecke gewichtete Volumen
三角形数で重み付けた体積

Voxels along the longest side of the region that both objects reach
Voxel entlang der längsten Seite des Bereichs, in den beide Objekte reichen
両オブジェクトが達する領域の最長辺に沿うボクセル数

What a length of 1 in the file means
Was eine Länge von 1 in der Datei bedeutet
ファイルの長さ1の意味

What an object's discipline is told by
Woran das Gewerk eines Objekts erkannt wird
オブジェクトの分野を判別する基準

What is made of the points
Was aus den Punkten gemacht wird
点から作るもの

What is seen around the selected pair
Was um das gewählte Paar zu sehen ist
選択したペアの周囲に見えるもの

What is shown has fewer triangles. Detect tests all of them.
Gezeigt werden weniger Dreiecke. Prüfen nimmt alle.
表示は三角形を減らしています。検出はすべてを検査します。

What is to be known; empty: none
Was zu wissen ist; leer: nichts
伝えること。空欄: なし

What surface the points of a scan stand for
Für welche Fläche die Punkte eines Scans stehen
スキャンの点が表す面

What tests triangles
Was Dreiecke prüft
三角形を検査するデバイス

What the clashes of a group have in common
Was die Kollisionen einer Gruppe gemeinsam haben
グループの干渉に共通するもの

What the two objects do to each other
Wie sich die beiden Objekte zueinander verhalten
2つのオブジェクトの関係

What to find
Was gefunden werden soll
見つけるもの

What was said before
Was zuvor gesagt wurde
以前の内容のまま

What you think of this pair
Was Sie von diesem Paar halten
このペアについての評価

Where coordinates begin
Wo Koordinaten beginnen
座標の原点

Where the list opens
Wo die Liste sich öffnet
リストを開く場所

Where the markers are put
Wo die Marker gesetzt werden
マーカーを置く場所

Where they are: clashes of an object beside each other
Wo sie sind: Kollisionen eines Objekts nebeneinander
場所: 1つのオブジェクトの隣り合う干渉

Which clashes count as touching
Welche Kollisionen als Berührung gelten
どの干渉を接触とみなすか

Which pairs are drawn
Welche Paare gezeichnet werden
描くペア

Which pairs are measured
Welche Paare gemessen werden
測定するペア

Which part of the list is shown
Welcher Teil der Liste gezeigt wird
リストの表示部分

Who says what of clashes, in histories; empty: the name of the system's user
Wer in Verläufen was von Kollisionen sagt; leer: der Name des Systembenutzers
履歴で干渉を評価する人の名前。空欄: システムのユーザー名

Who takes care of them; empty: as it is
Wer sich darum kümmert; leer: wie es ist
担当者。空欄: 変更なし

Who takes care of this pair
Wer sich um dieses Paar kümmert
このペアの担当者

Whose ways are found
Wessen Auswege gesucht werden
逃がしを求める対象

Width of the intersection curves
Breite der Schnittkurven
交線の幅

within {name}
innerhalb {name}
{name} の内部

Write how often and how deep each face clashes to attributes of the meshes, and colours for the viewport
Wie oft und wie tief jede Fläche kollidiert, in Attribute der Netze schreiben, und Farben für die Ansicht
各面の干渉の頻度と深さをメッシュの属性に、ビュー用の色とともに書き込みます

Write the active object as a massive file; a new object stands for it, and this one is hidden
Das aktive Objekt als Massendatei schreiben; ein neues Objekt steht dafür, und dieses wird verborgen
アクティブオブジェクトを大規模ファイルに書き出します。新しいオブジェクトが代わりになり、元は隠されます

Write the contacting faces into a boolean face attribute, which materials and geometry nodes can read
Die berührenden Flächen in ein boolesches Flächenattribut schreiben, das Materialien und Geometry Nodes lesen können
接触面をブール型の面属性に書き込み、マテリアルとジオメトリノードから読めるようにします

Write the results to a file
Die Ergebnisse in eine Datei schreiben
結果をファイルに書き出します

Write the tests to a JSON file, which the command line runs with --tests
Die Tests in eine JSON-Datei schreiben, die die Kommandozeile mit --tests ausführt
テストをJSONファイルに書き出します。コマンドラインの --tests で実行できます

{a} and {b} lie one inside the other
{a} und {b} liegen ineinander
{a} と {b} が内側にある

{a} and {b} lie one inside the other, {depth} deep
{a} und {b} liegen ineinander, {depth} tief
{a} と {b} が内側にある、深さ {depth}

{a} and {b} lie one inside the other, {least} to {most} mm deep
{a} und {b} liegen ineinander, {least} bis {most} mm tief
{a} と {b} が内側にある、深さ {least} から {most} mm

{a} and {b} lie upon each other
{a} und {b} liegen aufeinander
{a} と {b} が重複

{a} and {b} lie upon each other, {depth} deep
{a} und {b} liegen aufeinander, {depth} tief
{a} と {b} が重複、深さ {depth}

{a} and {b} lie upon each other, {least} to {most} mm deep
{a} und {b} liegen aufeinander, {least} bis {most} mm tief
{a} と {b} が重複、深さ {least} から {most} mm

{a} and {b} overlap
{a} und {b} überlappen sich
{a} と {b} が重なる

{a} and {b} overlap, {depth} deep
{a} und {b} überlappen sich, {depth} tief
{a} と {b} が重なる、深さ {depth}

{a} and {b} overlap, {least} to {most} mm deep
{a} und {b} überlappen sich, {least} bis {most} mm tief
{a} と {b} が重なる、深さ {least} から {most} mm

{names} meet at {place}
{names} treffen sich bei {place}
{names} が {place} で交わる

{name} meets {others}
{name} trifft {others}
{name} が {others} と交わる

{name} meets {others}, {depth} deep
{name} trifft {others}, {depth} tief
{name} が {others} と交わる、深さ {depth}

{name} meets {others}, {least} to {most} mm deep
{name} trifft {others}, {least} bis {most} mm tief
{name} が {others} と交わる、深さ {least} から {most} mm

{objects} changed since, shown in grey
{objects} seither verändert, grau gezeigt
{objects} がその後変更 (灰色で表示)

{pairs} approved: listed, but not counted and not drawn
{pairs} genehmigt: gelistet, aber weder gezählt noch gezeichnet
{pairs} は承認済み: 一覧に出ますが、数えず描画もしません

{pairs} left out, at least {beyond} apart
{pairs} ausgelassen, mindestens {beyond} auseinander
{pairs} を省略 (間隔 {beyond} 以上)

{points}, origin {place}
{points}, Ursprung {place}
{points}、原点 {place}

{points}, {dropped} invalid ones left out
{points}, {dropped} ungültige ausgelassen
{points}、無効な {dropped} 点は除外

{share} certain: an open mesh counts as the solid that it seems to bound
{share} sicher: ein offenes Netz zählt als der Körper, den es zu begrenzen scheint
確度 {share}: 開いたメッシュは囲んでいると見える立体とみなします

{some} and {count} more kind
{some} und {count} weitere Art
{some} ほか {count} 種

{some} and {count} more kinds
{some} und {count} weitere Arten
{some} ほか {count} 種

{time} min left
noch {time} min
残り {time} 分

{time} s left
noch {time} s
残り {time} 秒

{triangles} in {file}, {shown} shown
{triangles} in {file}, {shown} gezeigt
{file} に {triangles}、{shown} を表示

{volume}: contradicts what is proved, which holds
{volume}: widerspricht dem Bewiesenen, das gilt
{volume}: 証明済みの値と矛盾します (証明済みの値が有効)
"""  # noqa: E501 - a tooltip is a line
"""A tooltip or sentence in English, German and Japanese, a line each."""
