"""German and Japanese for the controls of the extension, by Blender's own mechanism.

Blender translates what it shows by the language of its preferences; names of objects are never translated.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache, partial

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.props import EnumProperty

from . import translated_messages, translated_tips

CONTEXT = "MeshClash"
"""Of words that Blender translates as something else: "Open" as what is done to a file."""
ChoiceProperty = partial(EnumProperty, translation_context=CONTEXT)
"""Blender's own, whose items are such words."""
CONTEXTS = ("*", "Operator", CONTEXT)  # of properties, panels and labels; of buttons of operators
LANGUAGES = (("de", "de_DE"), ("ja", "ja_JP"))
"""The codes of each language, in new and in older versions of Blender, in the order of the columns."""
SAMPLE, SENTENCES = "Detect", 1000  # what tells languages apart; translations that are kept
NUMBER, PART = r"[-\d.,]+", "(?:(?!; ).)+?"
NUMBERS = {"frame", "first", "last", "start", "end", "worst", "count"}
"""Parts of sentences that are numbers."""
NUMBERED, SEAMS = re.compile(r"([\d.,]+) ([a-z].*)"), ("; ", ": ", ". ")
LEAST_LETTERS = 4  # of a sentence beside its parts: "{parts} of {name}" may be anything
FORMATTER = string.Formatter()
TABLE = """
1 clash | 1 Kollision | 干渉 1 件
95 % within | 95 % innerhalb | 95 % の範囲
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
All Events | Alle Ereignisse | すべてのイベント
All listed: | Alle gelisteten: | 表示中すべて:
All Tests | Alle Tests | すべてのテスト
Answered by | Geantwortet von | 応答
Any Resolution | Jede Auflösung | 任意の分解能
Apart | Getrennt | 分離
apart | getrennt | 件が分離
Approved | Genehmigt | 承認済み
approved | genehmigt | 件が承認済み
Area | Bereich | エリア
armature | Armatur | アーマチュア
armatures | Armaturen | アーマチュア
Around | Umgebung | 周囲
As | Als | 形式
As in the File | Wie in der Datei | ファイルのまま
As It Is | Wie es ist | 変更なし
Assembly | Baugruppe | アセンブリ
Assign | Zuweisen | 割り当て
Assign Highlight Material | Material zuweisen | 強調マテリアルを割り当て
Assign Listed Pairs | Gelistete Paare zuweisen | 表示中のペアを割り当て
Assign Material | Material zuweisen | マテリアル割り当て
Assign Material: All Clashes | Material zuweisen: alle Kollisionen | マテリアル割り当て: すべての干渉
Assign Material: Selected Pair | Material zuweisen: gewähltes Paar | マテリアル割り当て: 選択したペア
Assignee | Zuständig | 担当者
At | Bei | 位置
At Least in Common | Mindestens gemeinsam | 共通体積の下限
Attribute | Attribut | 属性
Bake Clearance to Curve | Abstand als Kurve backen | 間隔をカーブにベイク
Bandwidth (0: automatic) | Bandbreite (0: automatisch) | バンド幅 (0: 自動)
Begins | Beginnt | 開始
Beside the CPU | Neben der CPU | CPUとの比較
Between Frames | Zwischen Bildern | フレーム間
Blender is rendering | Blender rendert | Blenderがレンダリング中です
Boxes | Quader | ボックス
Broad phase | Grobphase | ブロードフェーズ
Budget (ms) | Zeitbudget (ms) | 時間予算 (ms)
Build | Aufbau | 構築
Build Massive File | Massendatei erzeugen | 大規模ファイルを作成
Builder | Aufbau | 構築方法
Building | Aufbauen | 構築
By | Nach | 基準
By Normals | Nach Normalen | 法線による
camera | Kamera | カメラ
cameras | Kameras | カメラ
Cancel | Abbrechen | キャンセル
Cause | Ursache | 原因
Centimetres | Zentimeter | センチメートル
Check Again | Erneut prüfen | 再検査
Check Pair Again | Paar erneut prüfen | ペアを再検査
Choose a group first | Zuerst eine Gruppe wählen | 先にグループを選んでください
Choose a test first | Zuerst einen Test wählen | 先にテストを選んでください
Clash | Kollision | 干渉
Clash Report (BCF, HTML, XLSX, JSON, CSV, XML, SARIF) | Kollisionsbericht (BCF, HTML, XLSX, JSON, CSV, XML, SARIF) | 干渉レポート (BCF、HTML、XLSX、JSON、CSV、XML、SARIF)
Clash Results | Kollisionen | 干渉の結果
Clash Results Below the View | Kollisionen unter der Ansicht | 干渉の結果をビューの下に
Clash Statuses and Comments (BCF) | Status und Kommentare (BCF) | 干渉のステータスとコメント (BCF)
clashing | in Kollision | 件が干渉
Clear Clash Results | Kollisionen löschen | 干渉の結果を消去
Clear Compiled Cache | Kompilierte Dateien löschen | コンパイル済みキャッシュを消去
Clear Deviation | Abweichung löschen | 偏差を消去
Clear Events | Ereignisse löschen | イベントを消去
Clear Results | Ergebnisse löschen | 結果を消去
Clearance | Mindestabstand | クリアランス
Clip | Begrenzen | 限定
Clip View to Common Solid | Ansicht auf gemeinsamen Körper begrenzen | ビューを共通の立体に限定
Collection | Sammlung | コレクション
Collections | Sammlungen | コレクション
Comment | Kommentar | コメント
Comment on Group | Gruppe kommentieren | グループにコメント
Common Solid | Gemeinsamer Körper | 共通の立体
Common Volume | Gemeinsames Volumen | 共通体積
common voxel | gemeinsamer Voxel | 個の共通ボクセル
Common Voxels | Gemeinsame Voxel | 共通ボクセル
Common voxels | Gemeinsame Voxel | 共通ボクセル
common voxels | gemeinsame Voxel | 個の共通ボクセル
Contact | Berührung | 接触
Copy Diagnostics | Diagnose kopieren | 診断情報をコピー
Corrective Shape Key | Korrigierender Formschlüssel | 補正シェイプキー
Critical | Kritisch | 重大
Curve Width | Linienbreite | カーブの幅
Curved | Gekrümmt | 曲面
Curves | Kurven | カーブ
Curves and Gaps | Kurven und Abstände | カーブと隙間
Custom Property | Benutzerdefinierte Eigenschaft | カスタムプロパティ
Deforming | Verformbar | 変形
Depth | Tiefe | 深さ
Detect | Prüfen | 検出
Detect Again | Erneut prüfen | 再検出
Detect Clashes | Kollisionen prüfen | 干渉を検出
Detection | Prüfung | 検出
Device | Gerät | デバイス
Display | Anzeige | 表示
Distance | Abstand | 距離
Distances | Abstände | 距離
Due | Fällig | 期限
Duplicate | Duplikat | 重複
duplicate | doppelt | 件が重複
Edit Test in Detect | Test unter Prüfen bearbeiten | テストを検出で編集
empties | Leerobjekte | エンプティ
empty | Leerobjekt | エンプティ
Ends | Endet | 終了
Event | Ereignis | イベント
event | Ereignis | イベント
events | Ereignisse | イベント
Every | Alle n | 間隔
Everything | Alles | すべて
Exact tests | Exakte Tests | 厳密テスト
Exclude | Ausschließen | 除外
Exclude Listed Pairs | Gelistete Paare ausschließen | 表示中のペアを除外
Exclude Pair | Paar ausschließen | ペアを除外
Exclude This Pair | Dieses Paar ausschließen | このペアを除外
Excluded pair | Ausgeschlossenes Paar | 除外したペア
Export | Exportieren | 書き出し
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
Fast Mesh Reading | Netze schnell lesen | メッシュの高速読み込み
Fastest first | Schnellste zuerst | 速い順
Feet | Fuß | フィート
File Path | Dateipfad | ファイルパス
Find Screws and Press Fits | Schrauben und Presspassungen finden | ねじと圧入を検索
Find Way Out | Ausweg finden | 逃がし方向を求める
Find Ways Out | Auswege finden | 逃がし方向をすべて求める
First | Erstes | 最初
Fit | Passung | はめあい
Fits | Passungen | はめあい
flush within the resolution | bündig im Rahmen der Auflösung | 分解能の範囲で面一
Format | Format | フォーマット
Frame | Bild | フレーム
frame | Bild | フレーム
Frame Common Solid | Gemeinsamen Körper einrahmen | 共通の立体を表示範囲に
Frame Solid | Einrahmen | フレームイン
Frames | Bilder | フレーム
frames | Bilder | フレーム
From Triangles | Ab Dreiecken | 三角形数の下限
Gap | Lücke | 隙間
Ghost | Durchsichtig | 半透明
GPU for large models | GPU für große Modelle | 大きいモデルはGPU
grease pencil | Grease-Pencil-Objekt | グリースペンシル
grease pencils | Grease-Pencil-Objekte | グリースペンシル
Greatest depth | Größte Tiefe | 最大の深さ
Group | Gruppe | グループ
Group by | Gruppieren nach | グループ化の基準
Groups | Gruppen | グループ
Groups and Listed Pairs | Gruppen und gelistete Paare | グループと表示中のペア
Groups as Found | Gruppen wie gefunden | 検出時のグループ
Half within | Hälfte innerhalb | 半数の範囲
Heat to Vertex Group | Heatmap als Vertexgruppe | ヒートマップを頂点グループに
Hide Common Solid | Gemeinsamen Körper ausblenden | 共通の立体を隠す
Hide Common Voxels | Gemeinsame Voxel ausblenden | 共通ボクセルを隠す
Hide Hierarchy | Hierarchie ausblenden | 階層を隠す
Hierarchy | Hierarchie | 階層
High | Hoch | 高
IFC Class | IFC-Klasse | IFCクラス
Ignore Overlaps | Überlappung ignorieren | 無視する重なり
Ignore Overlaps Below | Überlappung ignorieren unter | 無視する重なりの上限
Ignore Overlaps Below {length} | Überlappung unter {length} ignorieren | {length} 未満の重なりを無視
Import | Importieren | 読み込み
Import BCF | BCF importieren | BCFを読み込み
Import BCF Statuses and Comments | Status und Kommentare aus BCF | BCFのステータスとコメントを読み込み
Import Massive Model | Massenmodell importieren | 大規模モデルを読み込み
Import Scan | Scan importieren | スキャンを読み込み
Import Tests | Tests importieren | テストを読み込み
in contact | in Kontakt | 件が接触中
Inches | Zoll | インチ
Inside | Innerhalb | 内側
inside another | innerhalb | 件が内側
Intersection | Durchdringung | 交差
Into | In | 分割先
Is a Shell | Ist eine Schale | シェルである
Isolate | Isolieren | 分離
itself | sich selbst | 自身
key | Schlüsselbild | 個のキーフレーム
keys | Schlüsselbilder | 個のキーフレーム
Kilometres | Kilometer | キロメートル
Kinematic | Kinematisch | キネマティック
Largest | Größte | 最大
Last | Letztes | 最後
lattice | Gitter | ラティス
lattices | Gitter | ラティス
Leave Edit Mode first | Zuerst den Bearbeitungsmodus verlassen | 先に編集モードを終了してください
Length | Länge | 長さ
Level | Ebene | レベル
light | Licht | ライト
light probe | Lichtsonde | ライトプローブ
light probes | Lichtsonden | ライトプローブ
lights | Lichter | ライト
Likely | Wahrscheinlich | 可能性が高い
likely to meet | wahrscheinlich | 件が可能性高
Line Swept Spheres | Kugeln entlang Linien | 線スイープ球
Lines | Linien | 線
List All Pairs | Alle Paare auflisten | すべてのペアを表示
List Pairs of Selected Objects | Paare gewählter Objekte auflisten | 選択オブジェクトのペアを表示
List Resolved Pairs That Are Still There | Gelöste, noch vorhandene Paare auflisten | 解決済みで残っているペアを表示
Listed Pairs | Gelistete Paare | 表示中のペア
Live | Live | ライブ
Live Budget (ms) | Live-Budget (ms) | ライブの時間予算 (ms)
Live Clashes | Kollisionen live | ライブ干渉検出
Live is on and answers by itself | Live ist an und antwortet von selbst | ライブが有効で、自動的に答えます
Live: the answer is complete | Live: die Antwort ist vollständig | Live: 答えは完全です
Look for a GPU | GPU suchen | GPUを検索
lost | verloren | 件が読み取り不能
Low | Niedrig | 低
Make an object active first | Zuerst ein Objekt aktiv machen | 先にオブジェクトをアクティブにしてください
Make Object | Objekt erzeugen | オブジェクトを作成
Make Object of Common Solid | Objekt aus gemeinsamem Körper erzeugen | 共通の立体からオブジェクトを作成
Mark Faces | Flächen markieren | 面をマーク
Massive File | Massendatei | 大規模ファイル
Massive Model | Massenmodell | 大規模モデル
Massive Model (PLY, STL, OBJ, NPZ) | Massenmodell (PLY, STL, OBJ, NPZ) | 大規模モデル (PLY、STL、OBJ、NPZ)
Material | Material | マテリアル
Matrix of Disciplines | Matrix der Gewerke | 分野のマトリクス
Mean | Mittelwert | 平均
Measure | Maß | 測定値
Measure Deviation | Abweichung messen | 偏差を測定
Measure Hierarchies of Selected Objects | Hierarchien gewählter Objekte messen | 選択オブジェクトの階層を測定
Measure Selected Objects | Gewählte Objekte messen | 選択オブジェクトを測定
Median | Median | 中央値
meeting | sich treffend | 件が交差
Meets | Trifft | 接する
Memory | Speicher | メモリ
Merge | Vereinigen | 統合
Merge Group | Gruppe vereinigen | グループを統合
mesh | Netz | 個のメッシュ
Mesh Without Faces | Netz ohne Flächen | 面のないメッシュ
meshes | Netzen | 個のメッシュ
Metres | Meter | メートル
Millimetres | Millimeter | ミリメートル
Morton Curve | Morton-Kurve | モートン曲線
Move B | B verschieben | Bを移動
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
None | Keine | なし
Normal | Normal | 通常
Normals | Normalen | 法線
not a solid | kein Körper | ソリッドではありません
Not measured | Nicht gemessen | 未測定
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
Of | Von | 対象
of {pages}: {pairs} | von {pages}: {pairs} | / {pages} ページ: {pairs}
One | Eines | 1つ
Only Listed Pairs | Nur gelistete Paare | 表示中のペアのみ
Only pairs of {names} | Nur Paare von {names} | {names} のペアのみ
Open | Offen | 未確認
Open Clash Results | Kollisionen im Fenster öffnen | 干渉の結果を開く
Open Results | Ergebnisse öffnen | 結果を開く
Options | Optionen | オプション
Order | Reihenfolge | 順序
Order and Filter | Reihenfolge und Filter | 順序とフィルター
Oriented Boxes | Gedrehte Quader | 有向ボックス
Oriented Boxes (Hull) | Gedrehte Quader (Hülle) | 有向ボックス (凸包)
Origin | Ursprung | 原点
Overlay | Überlagerung | オーバーレイ
Own Range | Eigener Bereich | 独自の範囲
Packing | Packen | パッキング
Page | Seite | ページ
Pair | Paar | ペア
pair | Paar | ペア
Pair Status | Status des Paars | ペアのステータス
pairs | Paare | ペア
Pairs | Paare | ペア
Pairs one by one | Paare einzeln | 個別のペア
Pairs with the | Paare mit | 対象のペア
part | Teil | 部分
parts | Teile | 部分
Pattern | Muster | パターン
Place | Ort | 場所
Plain | Schlicht | 単純
point | Punkt | 点
Point Cloud | Punktwolke | ポイントクラウド
Point Swept Spheres | Kugeln um Punkte | 点スイープ球
points | Punkte | 点
Points | Punkte | 点
Points Drawn | Gezeichnete Punkte | 描画する点
Points per Scan (0: all) | Punkte je Scan (0: alle) | スキャンごとの点数 (0: すべて)
Prepare | Vorbereiten | 準備
Presets | Vorgaben | プリセット
Press Detect first | Zuerst Prüfen drücken | 先に「検出」を押してください
Previous Pair | Voriges Paar | 前のペア
Priority | Priorität | 優先度
Probability | Wahrscheinlichkeit | 確率
Progress | Fortschritt | 進捗
Property | Eigenschaft | プロパティ
Question | Frage | 問い合わせ
Range | Bereich | 範囲
Range (0: automatic) | Bereich (0: automatisch) | 範囲 (0: 自動)
Read | Lesen | 読み込み
Rectangle Swept Spheres | Kugeln entlang Rechtecken | 矩形スイープ球
Refine for This View | Für diese Ansicht verfeinern | このビュー用に細分化
Remove All Tests | Alle Tests entfernen | すべてのテストを削除
Remove Face Attribute | Flächenattribut entfernen | 面の属性を削除
Remove Fit | Passung entfernen | はめあいを削除
Remove From Excluded Pairs | Ausschluss aufheben | 除外を解除
Remove Heat Map | Heatmap entfernen | ヒートマップを削除
Remove Markers | Marker entfernen | マーカーを削除
Remove Test | Test entfernen | テストを削除
Reopened | Wieder offen | 再オープン
Report | Bericht | レポート
Research | Forschung | 研究
Resolution | Auflösung | 分解能
Resolved | Gelöst | 解決済み
Resolved, but still there: {pairs} | Gelöst, aber noch da: {pairs} | 解決済みだが残存: {pairs}
Resolved, but There | Gelöst, aber vorhanden | 解決済みだが残存
Restore Materials | Materialien wiederherstellen | マテリアルを復元
Restricted Boxes | Eingeschränkte Quader | 制限ボックス
Results | Ergebnisse | 結果
Reverse | Umkehren | 逆順
Reviewed | Gesehen | 確認済み
Rule | Regel | 規則
Run | Ausführen | 実行
Run Tests | Tests ausführen | テストを実行
Same Armature | Gleiche Armatur | 同じアーマチュア
Same Collection | Gleiche Sammlung | 同じコレクション
Same Parent | Gleiches Elternobjekt | 同じ親
scan | Scan | 個のスキャン
Scan (PLY, PCD, LAS, LAZ, XYZ, PTS, CSV) | Scan (PLY, PCD, LAS, LAZ, XYZ, PTS, CSV) | スキャン (PLY、PCD、LAS、LAZ、XYZ、PTS、CSV)
Scan Timeline | Zeitleiste prüfen | タイムラインを走査
Scan Timeline for Clashes | Zeitleiste auf Kollisionen prüfen | タイムラインの干渉を走査
Scans | Scans | スキャン
scans | Scans | 個のスキャン
Scans and Massive Models | Scans und Massenmodelle | スキャンと大規模モデル
Scene's Origin | Ursprung der Szene | シーンの原点
screw or press fit | Schraube oder Presspassung | 組のねじや圧入
screw or press fits | Schrauben oder Presspassungen | 組のねじや圧入
Search | Suchen | 検索
Select a pair in the list | Ein Paar in der Liste wählen | リストでペアを選択してください
Select an object first | Zuerst ein Objekt auswählen | 先にオブジェクトを選択してください
Select Contacting Faces | Berührende Flächen wählen | 接触面を選択
Select Event | Ereignis wählen | イベントを選択
Select Faces | Flächen wählen | 面を選択
Select Objects of Listed Pairs | Objekte gelisteter Paare wählen | 表示中のペアのオブジェクトを選択
Select Pair | Paar wählen | ペアを選択
Selected | Ausgewählt | 選択
Selected Objects | Ausgewählte Objekte | 選択オブジェクト
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
Show Selected Pair | Gewähltes Paar zeigen | 選択したペアを表示
Show Tools for Research | Werkzeuge für Forschung zeigen | 研究用ツールを表示
Sides | Seiten | 寸法
Since the Last Detection | Seit der letzten Prüfung | 前回の検出以降
Size (0: by number) | Größe (0: nach Anzahl) | サイズ (0: 数で指定)
skipped | ausgelassen | 件を省略
Smallest gap | Kleinste Lücke | 最小の隙間
Smallest Volume | Kleinstes Volumen | 最小体積
Solid | Körper | 立体
Something is running: press ESC to stop it | Etwas läuft: ESC hält es an | 処理中です: ESCで停止します
Sort by | Sortieren nach | 並べ替え
Sort Pairs | Paare sortieren | ペアを並べ替え
speaker | Lautsprecher | スピーカー
speakers | Lautsprecher | スピーカー
Spheres | Kugeln | 球
Split | Teilen | 分割
Split Group | Gruppe teilen | グループを分割
Start | Anfang | 開始
Starting | Beginnt | 開始中
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
Surface Area | Oberfläche | 表面積
Swept Spheres | Bewegte Kugeln | スイープ球
Tab | Reiter | タブ
Test | Test | テスト
test | Test | 件のテスト
Tests | Alle Tests | テスト一覧
tests | Tests | 件のテスト
Tests made | Anzahl Tests | テスト数
The worst {listed} of {events} | Die schlimmsten {listed} von {events} | 深刻な順に {listed} / {events}
There is no pair to measure | Es gibt kein Paar zu messen | 測定するペアがありません
There is no window | Es gibt kein Fenster | ウィンドウがありません
Time-Critical | Zeitkritisch | 時間制限
Timeline | Zeitleiste | タイムライン
Tolerance | Toleranz | 許容値
too near | zu nah | 件が近すぎ
Total | Gesamt | 合計
Touch Tolerance | Berührungstoleranz | 接触の許容値
Touching | Berührung | 接触
touching | in Berührung | 件が接触
Traversal | Durchlauf | 走査
triangle | Dreieck | 三角形
Triangle tests | Dreieckstests | 三角形テスト
triangles | Dreiecke | 三角形
Triangles | Dreiecke | 三角形
Triangles for Clearance | Dreiecke für Mindestabstand | クリアランスの三角形数
Triangles for Distance | Dreiecke für Abstand | 距離の三角形数
Triangles Shown | Gezeigte Dreiecke | 表示する三角形
Try Everything | Alles versuchen | すべて試す
Turn Page | Blättern | ページをめくる
Unit | Einheit | 単位
Unlikely | Unwahrscheinlich | 可能性が低い
unlikely to meet | unwahrscheinlich | 件が可能性低
Update | Aktualisieren | 更新
US Survey Feet | US-Vermessungsfuß | 米国測量フィート
Verdict | Befund | 判定
Verdicts | Befunde | 判定
Volume | Volumen | ボリューム
volume | Volumen | ボリューム
Volume by Number | Volumen nach Anzahl | 数で重み付けた体積
Volume tests | Volumentests | ボリュームテスト
Volumes | Volumen | ボリューム
volumes | Volumen | ボリューム
Voxel size | Voxelgröße | ボクセルサイズ
Voxels Across | Voxel je Seite | ボクセル数
Way Out | Ausweg | 逃がし
Weld Tolerance | Verschmelzungstoleranz | 溶接の許容値
Window | Fenster | ウィンドウ
Within Disciplines | Innerhalb der Gewerke | 分野内
Without geometry: {objects} | Ohne Geometrie: {objects} | 形状なし: {objects}
Worst | Schlimmstes | 最も深刻
Worst First | Schlimmste zuerst | 深刻な順
Worst frame | Schlimmstes Bild | 最も深刻なフレーム
Worst verdict | Schlimmster Befund | 最も深刻な判定
Write Face Attribute | Flächenattribut schreiben | 面の属性を書き込み
Write Face Attribute: All Clashes | Flächenattribut schreiben: alle Kollisionen | 面の属性を書き込み: すべての干渉
Write Face Attribute: Selected Pair | Flächenattribut schreiben: gewähltes Paar | 面の属性を書き込み: 選択したペア
Write Heat Map | Heatmap schreiben | ヒートマップを書き込み
X-Ray | Röntgen | X線
Your Name | Ihr Name | 名前
{clashes} clashes in {groups} | {clashes} Kollisionen in {groups} | 干渉 {clashes} 件、{groups} グループ
{events} so far; ESC keeps them | {events} bisher; ESC behält sie | ここまで {events}。ESC で保持します
{found} in frames {frames} ({test}) | {found} in den Bildern {frames} ({test}) | フレーム {frames} で {found} ({test})
{frames}: {range}. Test: {test} | {frames}: {range}. Test: {test} | {frames}: {range}。テスト: {test}
{marked} selected: | {marked} gewählt: | {marked} 件選択:
{nothing}: {objects} tested | {nothing}: {objects} geprüft | {nothing}: {objects} を検査
{objects} lost and not tested: {names} | {objects} verloren und nicht geprüft: {names} | {objects} は読み取れず未検査: {names}
{objects} not tested: {names} | {objects} nicht geprüft: {names} | {objects} は未検査: {names}
{pairs} gone, the last ones: | {pairs} verschwunden, die letzten: | {pairs} が消滅、最近のもの:
{pairs} listed | {pairs} gelistet | 表示 {pairs}
{parts} of {name} | {parts} von {name} | {name} の {parts}
{share} certain | {share} sicher | 確度 {share}
{tests} of {objects} found nothing | {tests} mit {objects} fanden nichts | {objects}の{tests}で何も見つかりませんでした
"""  # noqa: E501 - a text is a line
"""A text in English, German and Japanese a line."""


@lru_cache(1)
def texts() -> dict[str, tuple[str, ...]]:
    """Translations by the English text, in the order of `LANGUAGES`."""
    lines = [line.split(" | ") for line in TABLE.strip().splitlines()]
    for table in (translated_tips.TABLE, translated_messages.TABLE):
        lines += [block.splitlines() for block in table.strip().split("\n\n")]
    return {english: tuple(others) for english, *others in lines}


def translated(text: str) -> str:
    """A sentence in the user's language that was put together in English, as far as the table has what it is made of.

    Names of objects are single words as a rule, and stay as they are.
    """
    return _translated(text, iface_(SAMPLE, CONTEXT))


@lru_cache(SENTENCES)
def _translated(text: str, language: str) -> str:
    if (known := iface_(text, CONTEXT)) != text:
        return known
    if (found := NUMBERED.fullmatch(text)) and found[2] in texts():
        return f"{found[1]} {iface_(found[2], CONTEXT)}"
    for piece, pattern, english in _templates():
        if piece in text and (found := pattern.fullmatch(text)):
            parts = {
                name: _translated(part, language) if " " in part else part for name, part in found.groupdict().items()
            }
            return iface_(english, CONTEXT).format(**parts)
    for mark in SEAMS:
        first, _, rest = text.partition(mark)
        if rest and (both := mark.join(_translated(part, language) for part in (first, rest))) != text:
            return both
    small = text[:1].lower() + text[1:]
    known = small if small == text else _translated(small, language)
    return text if known == small else known[:1].upper() + known[1:]


@lru_cache(1)
def _templates() -> list[tuple[str, re.Pattern[str], str]]:
    """What finds the parts of the table's sentences that have some, longest first, and a piece of each."""
    found = []
    for english in texts():
        pieces = [(text, name) for text, name, *_ in FORMATTER.parse(english)]
        letters = sum(map(str.isalpha, "".join(text for text, _ in pieces)))
        if letters >= LEAST_LETTERS and any(name for _, name in pieces):
            parts = (f"(?P<{name}>{NUMBER if name in NUMBERS else PART})" if name else "" for _, name in pieces)
            pattern = "".join(re.escape(text) + part for (text, _), part in zip(pieces, parts, strict=True))
            found.append((letters, max((text for text, _ in pieces), key=len), re.compile(pattern), english))
    return [known for _, *known in sorted(found, key=lambda item: -item[0])]  # type: ignore[misc]


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
