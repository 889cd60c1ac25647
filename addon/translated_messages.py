"""German and Japanese of what operators report and what the engine says: sentences, some with parts."""

from __future__ import annotations

TABLE = """
'tests' must be a list
„tests“ muss eine Liste sein
「tests」はリストにしてください

'{due}' is no date as 2026-12-24
„{due}“ ist kein Datum wie 2026-12-24
「{due}」は 2026-12-24 のような日付ではありません

'{mesh}' has another attribute called '{name}': choose another name
„{mesh}“ hat ein anderes Attribut „{name}“: einen anderen Namen wählen
「{mesh}」に別の属性「{name}」があります: 別の名前にしてください

'{mesh}' has another attribute called '{name}': rename it
„{mesh}“ hat ein anderes Attribut „{name}“: dieses umbenennen
「{mesh}」に別の属性「{name}」があります: 改名してください

'{name}' and '{other}' are never both there to be measured
„{name}“ und „{other}“ sind nie beide da, um gemessen zu werden
「{name}」と「{other}」が同時に存在するフレームがなく、測定できません

'{name}' cannot be given a curve: its action is in a library or locked
„{name}“ kann keine Kurve bekommen: die Aktion ist in einer Bibliothek oder gesperrt
「{name}」にカーブを追加できません: アクションがライブラリにあるか、ロックされています

'{name}' has fewer faces than when it was scanned: scan again
„{name}“ hat weniger Flächen als beim Prüfen der Zeitleiste: erneut prüfen
「{name}」の面が走査時より減っています: 再走査してください

'{name}' has fewer faces than when it was tested: press Detect again
„{name}“ hat weniger Flächen als beim Prüfen: erneut prüfen
「{name}」の面が検査時より減っています: もう一度検出してください

'{name}' has its mesh together with others: make it a single user first
„{name}“ teilt sein Netz mit anderen: zuerst zum Einzelbenutzer machen
「{name}」はメッシュを他と共有しています: 先にシングルユーザー化してください

'{name}' has modifiers that make other faces
„{name}“ hat Modifikatoren, die andere Flächen erzeugen
「{name}」には別の面を作るモディファイアーがあります

'{name}' has {points} points, but {values} values were measured
„{name}“ hat {points} Punkte, gemessen wurden aber {values} Werte
「{name}」は {points} 点ですが、測定値は {values} 個です

'{name}' is a scan: it has points, and no faces to select
„{name}“ ist ein Scan: er hat Punkte und keine Flächen zum Wählen
「{name}」はスキャンです: 点だけで、選択できる面がありません

'{name}' is an instance: its points are shared, so its values are only drawn
„{name}“ ist eine Instanz: ihre Punkte sind geteilt, also werden ihre Werte nur gezeichnet
「{name}」はインスタンスです: 点を共有しているため、値は描画だけです

'{name}' is gone
„{name}“ ist fort
「{name}」がありません

'{name}' is gone, or in a library
„{name}“ ist fort oder in einer Bibliothek
「{name}」はなくなったか、ライブラリにあります

'{name}' is hidden: show it to select its faces
„{name}“ ist ausgeblendet: einblenden, um seine Flächen zu wählen
「{name}」は隠されています: 面を選択するには表示してください

'{name}' is in a library: it cannot be given a curve
„{name}“ ist in einer Bibliothek: es kann keine Kurve bekommen
「{name}」はライブラリにあるため、カーブを追加できません

'{name}' is in a library: it cannot be given a shape key
„{name}“ ist in einer Bibliothek: es kann keinen Formschlüssel bekommen
「{name}」はライブラリにあるため、シェイプキーを追加できません

'{name}' is linked from a library and cannot be written
„{name}“ ist aus einer Bibliothek verknüpft und kann nicht geändert werden
「{name}」はライブラリからリンクされており、書き込めません

'{name}' is linked from another file and cannot be edited
„{name}“ ist aus einer anderen Datei verknüpft und kann nicht bearbeitet werden
「{name}」は別のファイルからリンクされており、編集できません

'{name}' is no mesh object: convert it to a mesh to select its faces
„{name}“ ist kein Netzobjekt: in ein Netz umwandeln, um seine Flächen zu wählen
「{name}」はメッシュオブジェクトではありません: 面を選択するにはメッシュに変換してください

'{name}' is not in this view layer: deleted, renamed, or only seen as an instance
„{name}“ ist nicht in dieser Ansichtsebene: gelöscht, umbenannt oder nur als Instanz zu sehen
「{name}」はこのビューレイヤーにありません: 削除、改名、またはインスタンスとしてのみ表示

'{name}' shares its points with '{other}': its values are only drawn
„{name}“ teilt seine Punkte mit „{other}“: die Werte werden nur gezeichnet
「{name}」は「{other}」と点を共有しています: 値は描画だけです

'{name}' shows a sample of its massive file: the contacting triangles are not its own faces
„{name}“ zeigt eine Stichprobe seiner Massendatei: die berührenden Dreiecke sind nicht seine eigenen Flächen
「{name}」は大規模ファイルのサンプルです: 接触する三角形はその面ではありません

'{name}' was removed meanwhile
„{name}“ wurde inzwischen entfernt
「{name}」はその間に削除されました

'{path}' cannot be read as BCF: {why}
„{path}“ kann nicht als BCF gelesen werden: {why}
「{path}」をBCFとして読めません: {why}

'{path}' is damaged: {why}
„{path}“ ist beschädigt: {why}
「{path}」は壊れています: {why}

'{path}' is no BCF: it has no {part}
„{path}“ ist kein BCF: {part} fehlt
「{path}」はBCFではありません: {part} がありません

'{path}' is no JSON {what}: {why}
„{path}“ ist kein JSON ({what}): {why}
「{path}」はJSON ({what}) ではありません: {why}

'{path}' is of BCF {version}: known are {versions}
„{path}“ ist BCF {version}: bekannt sind {versions}
「{path}」はBCF {version} です: 対応は {versions}

'{path}' unpacks to more than {size}
„{path}“ ist entpackt größer als {size}
「{path}」は展開すると {size} を超えます

'{text}' is a selector of IFC files: here, name sets by class:, type: or storey:
„{text}“ ist ein Selektor von IFC-Dateien: hier Mengen mit class:, type: oder storey: nennen
「{text}」はIFCファイルのセレクターです: ここでは class:、type:、storey: を使ってください

'{text}' is no property with its value: write property:KEY=VALUE
„{text}“ ist keine Eigenschaft mit Wert: property:KEY=VALUE schreiben
「{text}」はプロパティと値ではありません: property:KEY=VALUE と書いてください

'{text}' is not a fit: write A::B=METRES, as in Pin*::Plate*=0.00002
„{text}“ ist keine Passung: A::B=METER schreiben, wie in Pin*::Plate*=0.00002
「{text}」ははめあいではありません: Pin*::Plate*=0.00002 のように A::B=メートル と書いてください

'{text}' is not a pair of names: write A::B
„{text}“ ist kein Paar von Namen: A::B schreiben
「{text}」は名前のペアではありません: A::B と書いてください

'{text}' is not a range of frames: write 5, 1:250 or 1:250:5
„{text}“ ist kein Bereich von Bildern: 5, 1:250 oder 1:250:5 schreiben
「{text}」はフレーム範囲ではありません: 5、1:250、1:250:5 のように書いてください

, instance of {owner}
, Instanz von {owner}
、{owner} のインスタンス

a BCF file has no document type and no entities
eine BCF-Datei hat keinen Dokumenttyp und keine Entitäten
BCFファイルに文書型やエンティティは使えません

A file was loaded: detection stopped
Eine Datei wurde geladen: Prüfung angehalten
ファイルが読み込まれたため、検出を停止しました

a fit needs the names of two objects; * stands for any letters
eine Passung braucht die Namen zweier Objekte; * steht für beliebige Buchstaben
はめあいには2つのオブジェクト名が必要です。* は任意の文字です

a fit permits a length of at least 0 m, not {length}
eine Passung erlaubt eine Länge von mindestens 0 m, nicht {length}
はめあいの長さは0 m以上です: {length} は使えません

a min volume needs the overlap volume
ein Mindestvolumen braucht das Überlappungsvolumen
体積の下限には重なりの体積が必要です

a scan has no faces that could cross each other
ein Scan hat keine Flächen, die sich kreuzen könnten
スキャンには交差しうる面がありません

a scan needs at least {count} points
ein Scan braucht mindestens {count} Punkte
スキャンには {count} 点以上が必要です

a sheet has {most} rows, and there are {pairs} pairs: write .csv
ein Blatt hat {most} Zeilen, und es gibt {pairs} Paare: .csv schreiben
シートは {most} 行までですが、{pairs} ペアあります: .csv で書き出してください

a test has {keys}
ein Test hat {keys}
テストの項目は {keys} です

A test needs a name
Ein Test braucht einen Namen
テストには名前が必要です

Another Blender has saved this file since: what it says of clashes is here, all else is not
Ein anderes Blender hat diese Datei seither gespeichert: was es von Kollisionen sagt, ist hier, alles andere nicht
別のBlenderがこのファイルを保存しました: 干渉の評価は反映されますが、他は反映されません

Another extension may have replaced it: all extensions share one folder and the highest version wins. Disable that extension, restart Blender and install MeshClash again
Eine andere Erweiterung hat es vielleicht ersetzt: alle teilen einen Ordner, und die höchste Version gewinnt. Diese Erweiterung deaktivieren, Blender neu starten und MeshClash erneut installieren
別のエクステンションが置き換えた可能性があります: 全体で1つのフォルダーを共有し、最新版が優先されます。それを無効にしてBlenderを再起動し、MeshClashを再インストールしてください

approve them in one go
alle auf einmal genehmigen
まとめて承認できます

as one of the two appears
als eines der beiden erscheint
片方が現れたとき

as one of the two vanishes
als eines der beiden verschwindet
片方が消えたとき

Asked often: {named}
Oft gefragt: {named}
何度も使う場合: {named}

Asked once: {named}
Einmal gefragt: {named}
一度だけ使う場合: {named}

at the first frame of the range, or before
am ersten Bild des Bereichs oder davor
範囲の最初のフレーム、またはそれ以前

at the last frame of the range, or later
am letzten Bild des Bereichs oder danach
範囲の最後のフレーム、またはそれ以降

between frames
zwischen Bildern
フレームの間

Building {volume}, {builder}
{volume}, {builder} wird aufgebaut
{volume}、{builder} を構築中

Cancelled
Abgebrochen
キャンセルしました

choose one of {names}
eines davon wählen: {names}
次から選んでください: {names}

choose the collection first
zuerst die Sammlung wählen
先にコレクションを選択してください

choose the object first
zuerst das Objekt wählen
先にオブジェクトを選択してください

clash set '{name}': {why}
Kollisionssatz „{name}“: {why}
クラッシュセット「{name}」: {why}

Clearances of {pairs} are curves of their first objects
Abstände von {pairs} sind Kurven ihrer ersten Objekte
{pairs} の間隔を最初のオブジェクトのカーブにしました

Comparing {name} with itself
{name} wird mit sich selbst verglichen
{name} を自身と比較中

Compiled kernels: {folder}
Kompilierte Kernel: {folder}
コンパイル済みカーネル: {folder}

Compiling for this computer, once: {left}
Wird einmal für diesen Rechner kompiliert: {left}
このコンピューター用に初回コンパイル中: {left}

coordinates of {name} are stored no finer than {length}: clashes up to that depth may be roundings; move the parts towards the origin, or permit any resolution
Koordinaten von {name} sind nicht feiner als {length} gespeichert: Kollisionen bis zu dieser Tiefe können Rundungen sein; die Teile zum Ursprung verschieben oder jede Auflösung erlauben
{name} の座標の精度は {length} です: それより浅い干渉は丸め誤差の可能性があります。部品を原点に近づけるか、任意の分解能を許容してください

CUDA cannot be used: {why}
CUDA ist nicht verwendbar: {why}
CUDAを使えません: {why}

Deviation of set A from set B
Abweichung der Menge A von Menge B
セットBに対するセットAの偏差

Deviation of {scan} from {model}
Abweichung: {scan} von {model}
{model} に対する {scan} の偏差

Diagnostics copied to the clipboard
Diagnose in die Zwischenablage kopiert
診断情報をクリップボードにコピーしました

exclude must be a list of {rules}, not {given}
exclude muss eine Liste aus {rules} sein, nicht {given}
exclude は {rules} のリストにしてください: {given} は使えません

exclude_pairs must be a list of pairs of names, not {given}
exclude_pairs muss eine Liste von Namenspaaren sein, nicht {given}
exclude_pairs は名前のペアのリストにしてください: {given} は使えません

Finding curves to draw
Kurven zum Zeichnen werden gesucht
描画するカーブを計算中

First use on this machine: {text}
Erste Benutzung auf diesem Rechner: {text}
このコンピューターでの初回使用: {text}

Frame {frame}: a click goes to frame {worst}, the worst
Bild {frame}: ein Klick geht zu Bild {worst}, dem schlimmsten
フレーム {frame}: クリックで最も深刻なフレーム {worst} へ

Frame {frame}: {text}
Bild {frame}: {text}
フレーム {frame}: {text}

Frames {start} to {end}: a click goes to frame {worst}, the worst
Bilder {start} bis {end}: ein Klick geht zu Bild {worst}, dem schlimmsten
フレーム {start} から {end}: クリックで最も深刻なフレーム {worst} へ

Give the attribute a name
Dem Attribut einen Namen geben
属性に名前を付けてください

in no collection
in keiner Sammlung
コレクションなし

in {collections}
in {collections}
{collections} 内

in {frames} one of the two was not there
in {frames} fehlte eines der beiden
{frames} では片方がありません

Install the MeshClash extension again, or in a checkout run: pip install -e .
Die Erweiterung MeshClash erneut installieren, oder in einem Checkout ausführen: pip install -e .
MeshClashエクステンションを再インストールするか、チェックアウトで実行: pip install -e .

Install the MeshClash extension from its zip (it brings Numba), or run: pip install meshclash
Die Erweiterung MeshClash aus ihrem Zip installieren (es enthält Numba), oder ausführen: pip install meshclash
MeshClashエクステンションをzipから (Numbaを含む) インストールするか、実行: pip install meshclash

it belongs to {tests}
es gehört zu {tests}
{tests} のものです

it ends before it begins
er endet, bevor er beginnt
終了が開始より前です

it has no faces
es hat keine Flächen
面がありません

it is missing from the library {library}: relink the library or reload it
es fehlt in der Bibliothek {library}: die Bibliothek neu verknüpfen oder neu laden
ライブラリ {library} に見つかりません: ライブラリを再リンクまたは再読み込みしてください

it is of another version of MeshClash
sie ist von einer anderen Version von MeshClash
別のバージョンのMeshClashのものです

it is tried again when you look for it
ein neuer Versuch folgt, wenn Sie danach suchen
もう一度検索すると再試行します

it needs '{name}', which is missing from the library {library}: relink the library or reload it
es braucht „{name}“, das in der Bibliothek {library} fehlt: die Bibliothek neu verknüpfen oder neu laden
必要な「{name}」がライブラリ {library} に見つかりません: ライブラリを再リンクまたは再読み込みしてください

its massive file was compared with meshes, but not with scans
seine Massendatei wurde mit Netzen verglichen, aber nicht mit Scans
大規模ファイルはメッシュとだけ比較し、スキャンとは比較していません

its modifier '{modifier}' failed: {why}
sein Modifikator „{modifier}“ ist fehlgeschlagen: {why}
モディファイアー「{modifier}」が失敗しました: {why}

its step must be at least 1
die Schrittweite muss mindestens 1 sein
間隔は1以上にしてください

its strands have no faces: convert them to a mesh, by the node Curve to Mesh
seine Strähnen haben keine Flächen: mit dem Node Curve to Mesh in ein Netz umwandeln
ストランドに面がありません: Curve to Mesh ノードでメッシュに変換してください

Listing the pairs
Paare werden gelistet
ペアを一覧に表示中

Live follows what happens in a window; without one, use Detect
Live folgt dem, was in einem Fenster geschieht; ohne Fenster gilt Prüfen
ライブはウィンドウの変化を追います。ウィンドウがなければ検出を使ってください

Loading the compiler
Der Compiler wird geladen
コンパイラーを読み込み中

Loading the engine
Die Engine wird geladen
エンジンを読み込み中

Looking for screws and press fits
Schrauben und Presspassungen werden gesucht
ねじと圧入を検索中

make an object active first
zuerst ein Objekt zum aktiven machen
先にオブジェクトをアクティブにしてください

Measuring what {a} and {b} have in common
Gemeinsames von {a} und {b} wird gemessen
{a} と {b} の共通部分を測定中

modifiers make other vertices than the mesh has: hide those (Subdivision, Mirror) meanwhile
Modifikatoren erzeugen andere Vertices, als das Netz hat: diese (Unterteilung, Spiegeln) solange ausblenden
モディファイアーがメッシュと異なる頂点を作っています: その間それら (細分化、ミラー) を隠してください

more than {most} elements lie in each other
mehr als {most} Elemente liegen ineinander
{most} を超える要素が入れ子になっています

Name the custom property
Die benutzerdefinierte Eigenschaft nennen
カスタムプロパティの名前を入力してください

name the file of the model
die Datei des Modells nennen
モデルのファイルを指定してください

name the file of the scan
die Datei des Scans nennen
スキャンのファイルを指定してください

no CUDA support is installed ({hint})
keine CUDA-Unterstützung ist installiert ({hint})
CUDAのサポートがインストールされていません ({hint})

no device has been looked for yet
es wurde noch kein Gerät gesucht
まだデバイスを検索していません

No face clashes: pairs that only touch are not counted
Keine Fläche kollidiert: Paare, die sich nur berühren, zählen nicht
干渉する面がありません: 接触だけのペアは数えません

No GPU can be used. {why}
Keine GPU ist verwendbar. {why}
GPUを使えません。{why}

No listed pair clashes or comes too near; to mark one that touches or is approved, select it
Kein gelistetes Paar kollidiert oder kommt zu nahe; um eines zu markieren, das sich berührt oder genehmigt ist, dieses wählen
表示中に干渉または近すぎるペアがありません。接触または承認済みのペアは選択してからマークしてください

No listed pair is a screw in its hole or a press fit
Kein gelistetes Paar ist eine Schraube in ihrem Loch oder eine Presspassung
表示中のペアにねじや圧入はありません

no longer in this view layer
nicht mehr in dieser Ansichtsebene
このビューレイヤーにありません

no NVIDIA driver was found: install one, or use the CPU
kein NVIDIA-Treiber gefunden: einen installieren oder die CPU benutzen
NVIDIAドライバーがありません: インストールするか、CPUを使ってください

no object has a {property}
kein Objekt hat diese Eigenschaft: {property}
{property} を持つオブジェクトがありません

no test is chosen to run
es ist kein Test zum Ausführen gewählt
実行するテストが選択されていません

no tests of schema {schema}, and no clash sets of IfcClash
keine Tests nach Schema {schema} und keine Kollisionssätze von IfcClash
スキーマ {schema} のテストでもIfcClashのクラッシュセットでもありません

No vertex of '{name}' is inside what it clashes with
Kein Vertex von „{name}“ liegt in dem, womit es kollidiert
「{name}」の頂点は干渉相手の内側にありません

none of the {points} points has finite coordinates
keiner der {points} Punkte hat endliche Koordinaten
{points} 点のどれにも有限の座標がありません

Not found any more
Nicht mehr gefunden
もう見つかりません

nothing is selected: select objects, or choose another set
nichts ist ausgewählt: Objekte auswählen oder eine andere Menge wählen
何も選択されていません: オブジェクトを選択するか、別のセットを選んでください

Numba, which compiles the engine, is not installed for this Python
Numba, das die Engine kompiliert, ist für dieses Python nicht installiert
エンジンをコンパイルするNumbaがこのPythonにありません

object '{name}' cannot be used: {why}
Objekt „{name}“ nicht verwendbar: {why}
オブジェクト「{name}」は使えません: {why}

object '{name}' has no faces
Objekt „{name}“ hat keine Flächen
オブジェクト「{name}」に面がありません

object '{name}' has no faces of its own
Objekt „{name}“ hat keine eigenen Flächen
オブジェクト「{name}」には自分の面がありません

object '{name}' is gone
Objekt „{name}“ ist fort
オブジェクト「{name}」がありません

object '{name}' is hidden in the viewport: unhide it, or choose another set
Objekt „{name}“ ist in der Ansicht ausgeblendet: einblenden oder eine andere Menge wählen
オブジェクト「{name}」はビューポートで隠されています: 表示するか、別のセットを選んでください

object '{name}' is scaled to nothing along an axis
Objekt „{name}“ ist entlang einer Achse auf nichts skaliert
オブジェクト「{name}」のスケールが軸方向で0です

object '{name}' was deleted, renamed or hidden during the run
Objekt „{name}“ wurde während des Laufs gelöscht, umbenannt oder ausgeblendet
オブジェクト「{name}」は実行中に削除、改名、または隠されました

Object {name} made
Objekt {name} erzeugt
オブジェクト {name} を作成しました

Objects have changed since: measure again
Objekte haben sich seither verändert: erneut messen
オブジェクトがその後変更されました: 測定し直してください

objects of the type {type} cannot be read
Objekte des Typs {type} können nicht gelesen werden
タイプ {type} のオブジェクトは読み取れません

Origin at {place}
Ursprung bei {place}
原点 {place}

Placing points
Punkte werden platziert
点を配置中

Placing {name}
{name} wird platziert
{name} を配置中

Preparing the compiler
Der Compiler wird vorbereitet
コンパイラーを準備中

Preparing {name}
{name} wird vorbereitet
{name} を準備中

Reading objects
Objekte werden gelesen
オブジェクトを読み込み中

Reading {name}
{name} wird gelesen
{name} を読み込み中

Removed from {meshes}
Von {meshes} entfernt
{meshes} から削除しました

Report written to {path}
Bericht in {path} geschrieben
レポートを {path} に書き出しました

Restored on {meshes}
Auf {meshes} wiederhergestellt
{meshes} で復元しました

Scan the timeline first
Zuerst die Zeitleiste prüfen
先にタイムラインを走査してください

scene '{name}' was deleted or renamed during the run
Szene „{name}“ wurde während des Laufs gelöscht oder umbenannt
シーン「{name}」は実行中に削除または改名されました

select the two objects to measure: {count} with faces are selected
die beiden Objekte wählen, die gemessen werden sollen: {count} mit Flächen sind gewählt
測定する2つのオブジェクトを選択してください: 面のあるものが {count} 個選択されています

set {letter} ({set}) contains no mesh with faces and no scan that is visible
Menge {letter} ({set}) enthält kein sichtbares Netz mit Flächen und keinen sichtbaren Scan
セット{letter} ({set}) に表示中の面のあるメッシュもスキャンもありません

set {letter} ({set}) contains no mesh with faces and no scan that is visible (left out: {notes})
Menge {letter} ({set}) enthält kein sichtbares Netz mit Flächen und keinen sichtbaren Scan (ausgelassen: {notes})
セット{letter} ({set}) に表示中の面のあるメッシュもスキャンもありません (除外: {notes})

set {letter} ({set}) contains no mesh with faces and no scan that is visible: show what is hidden, or choose another set
Menge {letter} ({set}) enthält kein sichtbares Netz mit Flächen und keinen sichtbaren Scan: Ausgeblendetes einblenden oder eine andere Menge wählen
セット{letter} ({set}) に表示中の面のあるメッシュもスキャンもありません: 隠したものを表示するか、別のセットを選んでください

set {letter} ({set}) holds no visible {what}
Menge {letter} ({set}) hat nichts Sichtbares dieser Art: {what}
セット{letter} ({set}) に表示中の {what} がありません

Shape key '{key}' moves {moved} of the vertices of '{name}'
Formschlüssel „{key}“ bewegt {moved} der Vertices von „{name}“
シェイプキー「{key}」は「{name}」の頂点 {moved} 個を動かします

Single precision rounds these coordinates by up to {length}
Einfache Genauigkeit rundet diese Koordinaten um bis zu {length}
単精度ではこれらの座標が最大 {length} 丸められます

Smaller voxels are too many to be drawn
Kleinere Voxel sind zu viele zum Zeichnen
これより小さいボクセルは多すぎて描画できません

Summing up
Wird zusammengefasst
集計中

test '{name}' is damaged: remove it
Test „{name}“ ist beschädigt: entfernen
テスト「{name}」は壊れています: 削除してください

test '{name}': {why}
Test „{name}“: {why}
テスト「{name}」: {why}

test {number} has no name
Test {number} hat keinen Namen
テスト {number} に名前がありません

Tests written to {path}
Tests in {path} geschrieben
テストを {path} に書き出しました

the budget must be a time above 0 s, not {time}
das Zeitbudget muss über 0 s liegen: {time} geht nicht
時間予算は0 sより長くしてください: {time} は使えません

The cache could not be deleted: {why}
Der Zwischenspeicher konnte nicht gelöscht werden: {why}
キャッシュを削除できませんでした: {why}

the cache folder of this user
der Zwischenspeicher dieses Benutzers
このユーザーのキャッシュフォルダー

the CPU answered instead
stattdessen hat die CPU geantwortet
代わりにCPUで計算しました

The deeper levels have too many volumes to be drawn
Die tieferen Ebenen haben zu viele Volumen zum Zeichnen
深いレベルはボリュームが多すぎて描画できません

the device cannot be used from this thread: {why}
das Gerät ist von diesem Thread aus nicht verwendbar: {why}
このスレッドからデバイスを使えません: {why}

the device found no nearest triangles
das Gerät fand keine nächsten Dreiecke
デバイスが最近接の三角形を見つけられません

the device is in use by another thread
das Gerät wird von einem anderen Thread benutzt
デバイスは別のスレッドが使用中です

The engine is loaded
Die Engine ist geladen
エンジンは読み込み済みです

The engine is loaded on the first Detect
Die Engine wird beim ersten Prüfen geladen
エンジンは最初の検出で読み込まれます

The engine is not loaded yet
Die Engine ist noch nicht geladen
エンジンはまだ読み込まれていません

the engine refused: {why}
die Engine lehnt ab: {why}
エンジンが拒否しました: {why}

the file holds no points
die Datei enthält keine Punkte
ファイルに点がありません

the frame range is empty
der Bereich der Bilder ist leer
フレーム範囲が空です

The list of results in this file is damaged. Press Detect for a new one
Die Ergebnisliste in dieser Datei ist beschädigt. Prüfen macht eine neue
このファイルの結果リストは壊れています。検出で作り直してください

The list of results in this file is damaged: {why}. Press Detect for a new one
Die Ergebnisliste in dieser Datei ist beschädigt: {why}. Prüfen macht eine neue
このファイルの結果リストは壊れています: {why}。検出で作り直してください

The mesh has changed since: press Update
Das Netz hat sich seither verändert: Aktualisieren drücken
メッシュがその後変更されました: 更新を押してください

the min volume must be a volume of at least 0 m3, not {volume}
das Mindestvolumen muss mindestens 0 m³ sein: {volume} geht nicht
体積の下限は0 m³以上にしてください: {volume} は使えません

the modifiers of '{name}' make new faces: the contacting faces have no original
die Modifikatoren von „{name}“ erzeugen neue Flächen: die berührenden Flächen haben kein Original
「{name}」のモディファイアーが新しい面を作ります: 接触面に元の面がありません

the name '{name}' in a library is not UTF-8: rename it in the library's file
der Name „{name}“ in einer Bibliothek ist nicht UTF-8: in der Datei der Bibliothek umbenennen
ライブラリの名前「{name}」がUTF-8ではありません: ライブラリのファイルで改名してください

the NVIDIA driver cannot be used: {why}
der NVIDIA-Treiber ist nicht verwendbar: {why}
NVIDIAドライバーを使えません: {why}

the NVIDIA driver finds no device
der NVIDIA-Treiber findet kein Gerät
NVIDIAドライバーがデバイスを検出しません

the NVIDIA driver is too old: it supports CUDA {supported}, {needed} is needed
der NVIDIA-Treiber ist zu alt: er kann CUDA {supported}, gebraucht wird {needed}
NVIDIAドライバーが古すぎます: CUDA {supported} まで対応、{needed} が必要です

The objects of these pairs are hidden, or no longer in this view layer
Die Objekte dieser Paare sind ausgeblendet oder nicht mehr in dieser Ansichtsebene
これらのペアのオブジェクトは隠されているか、このビューレイヤーにありません

the point budget must be 0 (all) or at least {least}, not {count}
die Zahl der Punkte muss 0 (alle) oder mindestens {least} sein: {count} geht nicht
点数は0 (すべて) か {least} 以上にしてください: {count} は使えません

the range of frames {range} is empty: {why}
der Bereich {range} ist leer: {why}
フレーム範囲 {range} は空です: {why}

The results are open already
Die Ergebnisse sind schon offen
結果はすでに開いています

the scan surface must be {kinds}, not {given}
die Scan-Fläche muss {kinds} sein, nicht {given}
スキャンの面は {kinds} にしてください: {given} は使えません

The scan was removed meanwhile
Die Prüfung der Zeitleiste wurde inzwischen entfernt
走査の結果はその間に削除されました

the scene is not shown in any window
die Szene wird in keinem Fenster gezeigt
シーンがどのウィンドウにも表示されていません

the scene or its view layer was removed or renamed
die Szene oder ihre Ansichtsebene wurde entfernt oder umbenannt
シーンまたはビューレイヤーが削除または改名されました

the scene was removed
die Szene wurde entfernt
シーンが削除されました

The scene was removed meanwhile
Die Szene wurde inzwischen entfernt
シーンはその間に削除されました

The selected pair has no contacting faces
Das gewählte Paar hat keine berührenden Flächen
選択したペアに接触面がありません

the selector '{selector}' needs the IFC file: in Blender, a selector names classes only
der Selektor „{selector}“ braucht die IFC-Datei: in Blender nennt ein Selektor nur Klassen
セレクター「{selector}」にはIFCファイルが必要です: Blenderではクラスだけを指定できます

The surfaces are certainly apart
Die Flächen sind sicher getrennt
サーフェスは確実に離れています

The way out of {pairs} is known
Der Ausweg von {pairs} ist bekannt
{pairs} の逃がしが求まりました

The worst {most} of {frames} have markers
Die schlimmsten {most} von {frames} haben Marker
{frames} のうち深刻な {most} 個にマーカーを付けました

the {name} must be a length of at least 0 m, not {length}
{name} muss eine Länge von mindestens 0 m sein: {length} geht nicht
{name} は0 m以上の長さにしてください: {length} は使えません

the {name} must be a length, not '{length}'
{name} muss eine Länge sein, nicht „{length}“
{name} は長さにしてください: 「{length}」は使えません

the {test} test needs a {option}
dem Test {test} fehlt: {option}
テスト {test} には {option} が必要です

the {test} test takes no {option}
der Test {test} kennt diese Option nicht: {option}
テスト {test} では {option} を使いません

the {what} '{path}' is larger than {size}
{what} „{path}“ ist größer als {size}
{what}「{path}」は {size} より大きいです

the {what} {path} cannot be read: {why}
{what} {path} kann nicht gelesen werden: {why}
{what} {path} を読めません: {why}

there are fewer than two different disciplines by {by}: choose something else
es gibt weniger als zwei verschiedene Gewerke nach {by}: etwas anderes wählen
{by} による分野が2つ未満です: 別の基準を選んでください

there are no tests
es gibt keine Tests
テストがありません

there are {count} disciplines by {by}, more than {most}: choose another
es gibt {count} Gewerke nach {by}, mehr als {most}: etwas anderes wählen
{by} による分野が {count} 個あり、上限 {most} を超えます: 別の基準を選んでください

There is no 3D view with room below it
Es gibt keine 3D-Ansicht mit Platz darunter
下に余裕のある3Dビューがありません

there is no collection '{name}' in scene '{scene}'
es gibt keine Sammlung „{name}“ in Szene „{scene}“
シーン「{scene}」にコレクション「{name}」がありません

there is no file '{path}'
es gibt keine Datei „{path}“
ファイル「{path}」がありません

there is no object '{name}' in scene '{scene}'
es gibt kein Objekt „{name}“ in Szene „{scene}“
シーン「{scene}」にオブジェクト「{name}」がありません

there is no object '{name}' in the file
es gibt kein Objekt „{name}“ in der Datei
ファイルにオブジェクト「{name}」がありません

there is no test '{name}'
es gibt keinen Test „{name}“
テスト「{name}」はありません

there is nothing that '{part}' means
„{part}“ bedeutet nichts
「{part}」に当てはまるものがありません

this compiler fuses products of {function}: answers would differ
dieser Compiler fasst Produkte von {function} zusammen: Antworten wären andere
このコンパイラーは {function} の積を融合します: 答えが変わります

this is no XML: {why}
das ist kein XML: {why}
XMLではありません: {why}

this test does not read massive files; Intersection, Clearance and Distance do
dieser Test liest keine Massendateien; Durchdringung, Mindestabstand und Abstand lesen sie
このテストは大規模ファイルを読みません。交差、クリアランス、距離は読みます

two tests are called '{name}'
zwei Tests heißen „{name}“
テスト「{name}」が2つあります

up to {length}, which the coordinates cannot tell from flush
bis zu {length}, was die Koordinaten nicht von bündig unterscheiden
{length} まで (座標では面一と区別できません)

What is said is kept in the file alone: {why}
Gesagtes wird nur in der Datei behalten: {why}
評価はこのファイルにだけ保存されます: {why}

write the rule first
zuerst die Regel angeben
先に規則を入力してください

Writing up {a} and {b}
{a} und {b} werden aufgeschrieben
{a} と {b} を記録中

{count} files deleted
{count} Dateien gelöscht
{count} 個のファイルを削除しました

{count} more are at least {length} apart.
{count} weitere sind mindestens {length} auseinander.
ほかに {count} 件は {length} 以上離れています。

{count} more have less than {volume} in common.
{count} weitere haben weniger als {volume} gemeinsam.
ほかに {count} 件は共通体積が {volume} 未満です。

{count} of its topics are about no listed pair
{count} seiner Themen betreffen kein gelistetes Paar
{count} 件は表示中のペアに該当しません

{fits} selected: approve them in one go
{fits} gewählt: alle auf einmal genehmigen
{fits} を選択: まとめて承認できます

{keys} of '{property}' on '{name}': distance to '{other}'
{keys} von „{property}“ an „{name}“: Abstand zu „{other}“
「{name}」の「{property}」に {keys}: 「{other}」までの距離

{key} must be {wanted}, not {given}
{key} muss {wanted} sein, nicht {given}
{key} は {wanted} にしてください: {given} は使えません

{library} cannot be imported: {why}
{library} kann nicht importiert werden: {why}
{library} をインポートできません: {why}

{names} have no volume in common
{names} haben kein Volumen gemeinsam
{names} に共通体積はありません

{names} is listed again
{names} ist wieder gelistet
{names} を再び表示します

{names} is tested by the next Detect
{names} wird beim nächsten Prüfen geprüft
{names} は次の検出で検査されます

{names}: the surfaces are apart
{names}: die Flächen sind getrennt
{names}: サーフェスは離れています

{names}: {best}, {time} ms a question
{names}: {best}, {time} ms je Frage
{names}: {best}、1回 {time} ms

{names}: {volume} in common
{names}: {volume} gemeinsam
{names}: 共通体積 {volume}

{name} is too old: it has compute capability {has}, {needed} is needed
{name} ist zu alt: es hat Compute Capability {has}, gebraucht wird {needed}
{name} は古すぎます: コンピュート機能は {has}、{needed} が必要です

{name}: {count} volumes on level {level} of {depth}
{name}: {count} Volumen auf Ebene {level} von {depth}
{name}: レベル {level}/{depth} のボリューム {count} 個

{needed} MB are needed on the device, {limit} MB may be used
{needed} MB werden auf dem Gerät gebraucht, {limit} MB sind erlaubt
デバイスに {needed} MB必要ですが、使えるのは {limit} MBです

{objects} selected
{objects} ausgewählt
{objects} を選択しました

{pairs} excluded
{pairs} ausgeschlossen
{pairs} を除外しました

{pairs} have what {file} says of them
{pairs} haben, was {file} von ihnen sagt
{pairs} に {file} の内容を反映しました

{pairs} of {objects} listed
{pairs} von {objects} gelistet
{objects} の {pairs} を表示

{pairs} were never both there
{pairs} waren nie zugleich da
{pairs} は同時に存在しません

{pairs} without: open, or no solids in each other
{pairs} ohne: offen, oder nicht ineinander
{pairs} は不明: 開いているか、互いに食い込むソリッドではありません

{pairs}: nothing said
{pairs}: nichts gesagt
{pairs}: 変更なし

{part}: it has no topic with a Guid
{part}: darin ist kein Thema mit einer Guid
{part}: Guidのあるトピックがありません

{points}: half within {half}, 95 % within {usual}
{points}: die Hälfte innerhalb von {half}, 95 % innerhalb von {usual}
{points}: 半数は {half} 以内、95 % は {usual} 以内

{points}: half within {half}, 95 % within {usual}, {inside} inside
{points}: die Hälfte innerhalb von {half}, 95 % innerhalb von {usual}, {inside} innen
{points}: 半数は {half} 以内、95 % は {usual} 以内、内側は {inside}

{shown} as a sample: {why}
{shown} als Stichprobe: {why}
{shown} をサンプルとして表示: {why}

{shown}, off by at most {length}
{shown}, höchstens {length} daneben
{shown}、誤差は最大 {length}

{shown}; '{name}' is hidden, so that it is not tested as well
{shown}; „{name}“ ist ausgeblendet, damit es nicht mitgeprüft wird
{shown}。「{name}」は二重に検査されないよう隠しました

{tests} of the matrix kept
{tests} der Matrix behalten
マトリクスの {tests} を保持しました

{tests} taken
{tests} übernommen
{tests} を取り込みました

{times} times as fast
{times}-mal so schnell
{times} 倍速い
"""  # noqa: E501 - a sentence is a line
"""A sentence in English, German and Japanese, a line each."""
