"""German and Japanese for the controls of the extension, by Blender's own mechanism.

Blender translates what it shows by the language of its preferences; names of objects are never translated.
"""

from __future__ import annotations

import bpy

from . import translated_tips

CONTEXT = "MeshClash"
"""Of words that Blender translates as something else: "Open" as what is done to a file."""
CONTEXTS = ("*", "Operator", CONTEXT)  # of properties, panels and labels; of buttons of operators
LANGUAGES = (("de", "de_DE"), ("ja", "ja_JP"))
"""The codes of each language, in new and in older versions of Blender, in the order of the columns."""
TABLE = """
1 clash | 1 Kollision | 干渉 1 件
A scan has points, and no faces | Ein Scan hat Punkte und keine Flächen | スキャンには点だけがあり、面がありません
about {depth} | etwa {depth} | 約 {depth}
Active | Aktiv | アクティブ
Active Object | Aktives Objekt | アクティブオブジェクト
Add Detect Preset | Vorgabe hinzufügen | 検出プリセットを追加
Add Fit | Passung hinzufügen | はめあいを追加
Add Markers | Marker hinzufügen | マーカーを追加
Add Test | Test hinzufügen | テストを追加
Advisor | Ratgeber | アドバイザー
All | Alle | すべて
All Clashes | Alle Kollisionen | すべての干渉
All listed: | Alle gelisteten: | 表示中すべて:
Any Resolution | Jede Auflösung | 任意の分解能
Apart | Getrennt | 分離
Approved | Genehmigt | 承認済み
Around | Umgebung | 周囲
Assembly | Baugruppe | アセンブリ
Assign Highlight Material | Material zuweisen | 強調マテリアルを割り当て
Assign Listed Pairs | Gelistete Paare zuweisen | 表示中のペアを割り当て
Assign Material: All Clashes | Material zuweisen: alle Kollisionen | マテリアル割り当て: すべての干渉
Assign Material: Selected Pair | Material zuweisen: gewähltes Paar | マテリアル割り当て: 選択したペア
Assignee | Zuständig | 担当者
At Least in Common | Mindestens gemeinsam | 共通体積の下限
Attribute | Attribut | 属性
Bake Clearance to Curve | Abstand als Kurve backen | 間隔をカーブにベイク
Bandwidth (0: automatic) | Bandbreite (0: automatisch) | バンド幅 (0: 自動)
Between Frames | Zwischen Bildern | フレーム間
Blender is rendering | Blender rendert | Blenderがレンダリング中です
Budget (ms) | Zeitbudget (ms) | 時間予算 (ms)
Build Massive File | Massendatei erzeugen | 大規模ファイルを作成
Builder | Aufbau | 構築方法
By | Nach | 基準
By Normals | Nach Normalen | 法線による
Cancel | Abbrechen | キャンセル
Cause | Ursache | 原因
Check Pair Again | Paar erneut prüfen | ペアを再検査
Choose a group first | Zuerst eine Gruppe wählen | 先にグループを選んでください
Choose a test first | Zuerst einen Test wählen | 先にテストを選んでください
Clash | Kollision | 干渉
Clash Results | Kollisionen | 干渉の結果
Clash Results Below the View | Kollisionen unter der Ansicht | 干渉の結果をビューの下に
Clear Clash Results | Kollisionen löschen | 干渉の結果を消去
Clear Compiled Cache | Kompilierte Dateien löschen | コンパイル済みキャッシュを消去
Clear Deviation | Abweichung löschen | 偏差を消去
Clear Events | Ereignisse löschen | イベントを消去
Clear Results | Ergebnisse löschen | 結果を消去
Clearance | Mindestabstand | クリアランス
Clip View to Common Solid | Ansicht auf gemeinsamen Körper begrenzen | ビューを共通の立体に限定
Collection | Sammlung | コレクション
Collections | Sammlungen | コレクション
Comment | Kommentar | コメント
Comment on Group | Gruppe kommentieren | グループにコメント
Common Solid | Gemeinsamer Körper | 共通の立体
Common Volume | Gemeinsames Volumen | 共通体積
Common Voxels | Gemeinsame Voxel | 共通ボクセル
Contact | Berührung | 接触
Copy Diagnostics | Diagnose kopieren | 診断情報をコピー
Corrective Shape Key | Korrigierender Formschlüssel | 補正シェイプキー
Curve Width | Linienbreite | カーブの幅
Curved | Gekrümmt | 曲面
Curves | Kurven | カーブ
Curves and Gaps | Kurven und Abstände | カーブと隙間
Deforming | Verformbar | 変形
Detect | Prüfen | 検出
Detect Again | Erneut prüfen | 再検出
Detect Clashes | Kollisionen prüfen | 干渉を検出
Detection | Prüfung | 検出
Device | Gerät | デバイス
Display | Anzeige | 表示
Distance | Abstand | 距離
Due | Fällig | 期限
Duplicate | Duplikat | 重複
Edit Test in Detect | Test unter Prüfen bearbeiten | テストを検出で編集
Event | Ereignis | イベント
event | Ereignis | イベント
events | Ereignisse | イベント
Every | Alle n | 間隔
Everything | Alles | すべて
Exclude | Ausschließen | 除外
Exclude Listed Pairs | Gelistete Paare ausschließen | 表示中のペアを除外
Exclude Pair | Paar ausschließen | ペアを除外
Exclude This Pair | Dieses Paar ausschließen | このペアを除外
Excluded pair | Ausgeschlossenes Paar | 除外したペア
Export Clash Report | Kollisionsbericht exportieren | 干渉レポートを書き出し
Export Report | Bericht exportieren | レポートを書き出し
Export Tests | Tests exportieren | テストを書き出し
face | Fläche | 面
Face Attribute | Flächenattribut | 面の属性
Faces | Flächen | 面
faces | Flächen | 面
Faces cannot be drawn: {why} | Flächen können nicht gezeichnet werden: {why} | 面を描画できません: {why}
Faces of A | Flächen von A | Aの面
Faces of B | Flächen von B | Bの面
Families | Familien | ファミリー
Fast Mesh Reading | Meshes schnell lesen | メッシュの高速読み込み
Find Screws and Press Fits | Schrauben und Presspassungen finden | ねじと圧入を検索
Find Way Out | Ausweg finden | 逃がし方向を求める
Find Ways Out | Auswege finden | 逃がし方向をすべて求める
First | Erstes | 最初
Fit | Passung | はめあい
Fits | Passungen | はめあい
flush within the resolution | bündig im Rahmen der Auflösung | 分解能の範囲で面一
Frame | Bild | フレーム
frame | Bild | フレーム
Frame Common Solid | Gemeinsamen Körper einrahmen | 共通の立体を表示範囲に
Frames | Bilder | フレーム
frames | Bilder | フレーム
Ghost | Durchsichtig | 半透明
Group | Gruppe | グループ
Group by | Gruppieren nach | グループ化の基準
Groups | Gruppen | グループ
Groups and Listed Pairs | Gruppen und gelistete Paare | グループと表示中のペア
Groups as Found | Gruppen wie gefunden | 検出時のグループ
Heat to Vertex Group | Heatmap als Vertexgruppe | ヒートマップを頂点グループに
Hide Common Solid | Gemeinsamen Körper ausblenden | 共通の立体を隠す
Hide Common Voxels | Gemeinsame Voxel ausblenden | 共通ボクセルを隠す
Hide Hierarchy | Hierarchie ausblenden | 階層を隠す
Hide Overlaps Below {length} | Überlappungen unter {length} ausblenden | {length} 未満の重なりを隠す
Hide Shallow Overlaps | Flache Überlappungen ausblenden | 浅い重なりを隠す
Hierarchy | Hierarchie | 階層
IFC Class | IFC-Klasse | IFCクラス
Ignore Overlaps Below | Überlappung ignorieren unter | 無視する重なりの上限
Import BCF | BCF importieren | BCFを読み込み
Import Massive Model | Massenmodell importieren | 大規模モデルを読み込み
Import Scan | Scan importieren | スキャンを読み込み
Import Tests | Tests importieren | テストを読み込み
Inside | Innerhalb | 内側
Intersection | Durchdringung | 交差
Is a Shell | Ist eine Schale | シェルである
Isolate | Isolieren | 分離
Last | Letztes | 最後
Leave Edit Mode first | Zuerst den Bearbeitungsmodus verlassen | 先に編集モードを終了してください
Leave Out | Auslassen | 除外
Length | Länge | 長さ
Level | Ebene | レベル
Likely | Wahrscheinlich | 可能性が高い
Lines | Linien | 線
List All Pairs | Alle Paare auflisten | すべてのペアを表示
List Pairs of Selected Objects | Paare gewählter Objekte auflisten | 選択オブジェクトのペアを表示
List Resolved Pairs That Are Still There | Gelöste, noch vorhandene Paare auflisten | 解決済みで残っているペアを表示
Live | Live | ライブ
Live Budget (ms) | Live-Budget (ms) | ライブの時間予算 (ms)
Live Clashes | Kollisionen live | ライブ干渉検出
Live is on and answers by itself | Live ist an und antwortet von selbst | ライブが有効で、自動的に答えます
Live: the answer is complete | Live: die Antwort ist vollständig | Live: 答えは完全です
Look for a GPU | GPU suchen | GPUを検索
Make an object active first | Zuerst ein Objekt aktiv machen | 先にオブジェクトをアクティブにしてください
Make Object | Objekt erzeugen | オブジェクトを作成
Make Object of Common Solid | Objekt aus gemeinsamem Körper erzeugen | 共通の立体からオブジェクトを作成
Mark Faces | Flächen markieren | 面をマーク
Massive Model | Massenmodell | 大規模モデル
Material | Material | マテリアル
Matrix of Disciplines | Matrix der Gewerke | 分野のマトリクス
Measure | Maß | 測定値
Measure Deviation | Abweichung messen | 偏差を測定
Measure Hierarchies of Selected Objects | Hierarchien gewählter Objekte messen | 選択オブジェクトの階層を測定
Measure Selected Objects | Gewählte Objekte messen | 選択オブジェクトを測定
Meets | Trifft | 接する
Merge Group | Gruppe vereinigen | グループを統合
Name | Name | 名前
Name Group | Gruppe benennen | グループに名前を付ける
Name of A | Name von A | Aの名前
Name of B | Name von B | Bの名前
Near | Zu nah | 近接
New | Neu | 新規
Next Pair | Nächstes Paar | 次のペア
Next Pair Under the Mouse | Nächstes Paar unter der Maus | マウス下の次のペア
No event has a marker | Kein Ereignis hat einen Marker | マーカーのあるイベントはありません
No pair of {total} is as asked | Kein Paar von {total} ist wie verlangt | {total} ペアに条件に合うものはありません
No pairs are listed | Keine Paare sind gelistet | 表示中のペアはありません
not a solid | kein Körper | ソリッドではありません
Not saved: {pairs} | Nicht gespeichert: {pairs} | 未保存: {pairs}
Nothing comes that near | Nichts kommt so nahe | そこまで近づくものはありません
Nothing crosses itself | Nichts durchdringt sich selbst | 自己交差はありません
Nothing is running | Nichts läuft | 実行中の処理はありません
Nothing is shown | Nichts wird gezeigt | 表示しているものはありません
Nothing meets | Nichts trifft sich | 交わるものはありません
Nothing touches | Nichts berührt sich | 接触はありません
Nothing was detected yet in this scene | In dieser Szene wurde noch nichts geprüft | まだ検出されていません
Object | Objekt | オブジェクト
object | Objekt | オブジェクト
Objects | Objekte | オブジェクト
objects | Objekte | オブジェクト
Objects have changed since | Objekte haben sich seither verändert | オブジェクトがその後変更されました
of {pages}: {pairs} | von {pages}: {pairs} | / {pages} ページ: {pairs}
Only pairs of {names} | Nur Paare von {names} | {names} のペアのみ
Open | Offen | 未確認
Open Clash Results | Kollisionen im Fenster öffnen | 干渉の結果を開く
Open Results | Ergebnisse öffnen | 結果を開く
Options | Optionen | オプション
Order | Reihenfolge | 順序
Order and Filter | Reihenfolge und Filter | 順序とフィルター
Overlap Volume | Überlappungsvolumen | 重なりの体積
Overlay | Überlagerung | オーバーレイ
Own Range | Eigener Bereich | 独自の範囲
Page | Seite | ページ
Pair | Paar | ペア
pair | Paar | ペア
Pair Status | Status des Paars | ペアのステータス
pairs | Paare | ペア
Pairs | Paare | ペア
Pairs with the | Paare mit | 対象のペア
part | Teil | 部分
parts | Teile | 部分
Pattern | Muster | パターン
Permitted Overlap | Erlaubte Überlappung | 許容する重なり
Place | Ort | 場所
Plain | Schlicht | 単純
point | Punkt | 点
points | Punkte | 点
Points Drawn | Gezeichnete Punkte | 描画する点
Points per Scan (0: all) | Punkte je Scan (0: alle) | スキャンごとの点数 (0: すべて)
Presets | Vorgaben | プリセット
Press Detect first | Zuerst Prüfen drücken | 先に「検出」を押してください
Previous Pair | Voriges Paar | 前のペア
Priority | Priorität | 優先度
Probability | Wahrscheinlichkeit | 確率
Progress | Fortschritt | 進捗
Range (0: automatic) | Bereich (0: automatisch) | 範囲 (0: 自動)
Refine for This View | Für diese Ansicht verfeinern | このビュー用に細分化
Remove Face Attribute | Flächenattribut entfernen | 面の属性を削除
Remove Fit | Passung entfernen | はめあいを削除
Remove From Excluded Pairs | Ausschluss aufheben | 除外を解除
Remove Heat Map | Heatmap entfernen | ヒートマップを削除
Remove Markers | Marker entfernen | マーカーを削除
Remove Test | Test entfernen | テストを削除
Reopened | Wieder offen | 再オープン
Research | Forschung | 研究
Resolution | Auflösung | 分解能
Resolved | Gelöst | 解決済み
Resolved, but still there: {pairs} | Gelöst, aber noch da: {pairs} | 解決済みだが残存: {pairs}
Resolved, but There | Gelöst, aber vorhanden | 解決済みだが残存
Restore Materials | Materialien wiederherstellen | マテリアルを復元
Results | Ergebnisse | 結果
Reverse | Umkehren | 逆順
Reviewed | Gesehen | 確認済み
Rule | Regel | 規則
Run Tests | Tests ausführen | テストを実行
Same Armature | Gleiche Armatur | 同じアーマチュア
Same Collection | Gleiche Sammlung | 同じコレクション
Same Parent | Gleiches Elternobjekt | 同じ親
Scan Timeline | Zeitleiste prüfen | タイムラインを走査
Scan Timeline for Clashes | Zeitleiste auf Kollisionen prüfen | タイムラインの干渉を走査
Scans | Scans | スキャン
Scans and Massive Models | Scans und Massenmodelle | スキャンと大規模モデル
Search | Suchen | 検索
Select a pair in the list | Ein Paar in der Liste wählen | リストでペアを選択してください
Select an object first | Zuerst ein Objekt auswählen | 先にオブジェクトを選択してください
Select Contacting Faces | Berührende Flächen wählen | 接触面を選択
Select Event | Ereignis wählen | イベントを選択
Select Faces | Flächen wählen | 面を選択
Select Objects of Listed Pairs | Objekte gelisteter Paare wählen | 表示中のペアのオブジェクトを選択
Select Pair | Paar wählen | ペアを選択
Selected | Ausgewählt | 選択
Selected Pair | Gewähltes Paar | 選択したペア
Self-Contact | Selbstberührung | 自己接触
Set A | Menge A | セットA
Set B | Menge B | セットB
Show | Zeigen | 表示
Show Active Object | Aktives Objekt zeigen | アクティブオブジェクトを表示
Show All {pairs} | Alle {pairs} zeigen | {pairs} をすべて表示
Show Common Solid | Gemeinsamen Körper zeigen | 共通の立体を表示
Show Common Voxels | Gemeinsame Voxel zeigen | 共通ボクセルを表示
Show Deviation | Abweichung zeigen | 偏差を表示
Show Events of This Scene | Ereignisse dieser Szene zeigen | このシーンのイベントを表示
Show Hierarchy | Hierarchie zeigen | 階層を表示
Show Hierarchy of Active Object | Hierarchie des aktiven Objekts zeigen | アクティブオブジェクトの階層を表示
Show in Timeline | In der Zeitleiste zeigen | タイムラインに表示
Show Overlay | Überlagerung zeigen | オーバーレイを表示
Show Results of This Scene | Ergebnisse dieser Szene zeigen | このシーンの結果を表示
Show Tools for Research | Werkzeuge für Forschung zeigen | 研究用ツールを表示
Size (0: by number) | Größe (0: nach Anzahl) | サイズ (0: 数で指定)
Something is running: press ESC to stop it | Etwas läuft: ESC hält es an | 処理中です: ESCで停止します
Sort by | Sortieren nach | 並べ替え
Sort Pairs | Paare sortieren | ペアを並べ替え
Split Group | Gruppe teilen | グループを分割
Statistics | Statistik | 統計
Status | Status | ステータス
Status of All Listed | Status aller gelisteten | 表示中すべてのステータス
Status of All Listed Pairs | Status aller gelisteten Paare | 表示中の全ペアのステータス
Status of Pair | Status des Paars | ペアのステータス
Statuses | Status | ステータス
Stop Detection | Prüfung anhalten | 検出を停止
Stop Live | Live anhalten | ライブを停止
Stopped before frame {frame} | Vor Bild {frame} angehalten | フレーム {frame} の前で停止
Storey | Geschoss | 階
Surface | Fläche | サーフェス
Tab | Reiter | タブ
Test | Test | テスト
Tests | Alle Tests | テスト一覧
The worst {listed} of {events} | Die schlimmsten {listed} von {events} | 深刻な順に {listed} / {events}
There is no pair to measure | Es gibt kein Paar zu messen | 測定するペアがありません
There is no window | Es gibt kein Fenster | ウィンドウがありません
Time-Critical | Zeitkritisch | 時間制限
Timeline | Zeitleiste | タイムライン
Tolerance | Toleranz | 許容値
Touch Tolerance | Berührungstoleranz | 接触の許容値
Touching | Berührung | 接触
Triangles Shown | Gezeigte Dreiecke | 表示する三角形
Try Everything | Alles versuchen | すべて試す
Turn Page | Blättern | ページをめくる
Unlikely | Unwahrscheinlich | 可能性が低い
Verdict | Befund | 判定
Volume | Volumen | ボリューム
Voxels Across | Voxel je Seite | ボクセル数
Way Out | Ausweg | 逃がし
Weld Tolerance | Verschmelzungstoleranz | 溶接の許容値
Worst First | Schlimmste zuerst | 深刻な順
Write Face Attribute | Flächenattribut schreiben | 面の属性を書き込み
Write Face Attribute: All Clashes | Flächenattribut schreiben: alle Kollisionen | 面の属性を書き込み: すべての干渉
Write Face Attribute: Selected Pair | Flächenattribut schreiben: gewähltes Paar | 面の属性を書き込み: 選択したペア
Write Heat Map | Heatmap schreiben | ヒートマップを書き込み
X-Ray | Röntgen | X線
{clashes} clashes in {groups} | {clashes} Kollisionen in {groups} | 干渉 {clashes} 件、{groups} グループ
{events} so far; ESC keeps them | {events} bisher; ESC behält sie | ここまで {events}。ESC で保持します
{found} in frames {frames} ({test}) | {found} in den Bildern {frames} ({test}) | フレーム {frames} で {found} ({test})
{frames}: {range}. Test: {test} | {frames}: {range}. Test: {test}. | {frames}: {range}。テスト: {test}
{marked} selected: | {marked} gewählt: | {marked} 件選択:
{nothing}: {objects} tested | {nothing}: {objects} geprüft | {nothing}: {objects} を検査
{objects} not tested: {names} | {objects} nicht geprüft: {names} | {objects} は未検査: {names}
{pairs} gone, the last ones: | {pairs} verschwunden, die letzten: | {pairs} が消滅、最近のもの:
{pairs} listed | {pairs} gelistet | 表示 {pairs}
{parts} of {name} | {parts} von {name} | {name} の {parts}
{share} certain | {share} sicher | 確度 {share}
"""
"""A text in English, German and Japanese a line."""


def texts() -> dict[str, tuple[str, ...]]:
    """Translations by the English text, in the order of `LANGUAGES`."""
    lines = (line.split(" | ") for line in TABLE.strip().splitlines())
    tips = (block.splitlines() for block in translated_tips.TABLE.strip().split("\n\n"))
    return {english: tuple(others) for english, *others in (*lines, *tips)}


def attach() -> None:
    """Lets Blender translate the texts."""
    known = texts()
    bpy.app.translations.register(
        __name__,
        {
            code: {(context, english): said[column] for english, said in known.items() for context in CONTEXTS}
            for column, codes in enumerate(LANGUAGES)
            for code in codes
        },
    )


def detach() -> None:
    """Blender translates them no longer."""
    bpy.app.translations.unregister(__name__)
