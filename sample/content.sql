-- Sample content for a demonstration: albums, points of interest, blogs, a vote, comments.
--
-- For psql, as the service's own role, on an empty database whose accounts (users.tsv) "mapdiaryctl user add" has
-- made. The photos (photos.tsv) are uploaded afterwards, and photos.sql comes last. All dates count from the
-- day of loading, so that a fresh demonstration looks lived in. Names of people and sites are invented; the places and
-- their coordinates are those of tzdata's zone1970.tab.

\set ON_ERROR_STOP on
BEGIN;
SET LOCAL search_path = mapdiary;
SET LOCAL timezone = 'UTC';

CREATE FUNCTION pg_temp.person(handle text) RETURNS bigint STABLE LANGUAGE sql AS
    $$ SELECT user_id FROM mapdiary.user_account WHERE email LIKE handle || '@%' $$;
CREATE FUNCTION pg_temp.ago(span interval) RETURNS timestamptz STABLE LANGUAGE sql AS
    $$ SELECT date_trunc('minute', now()) - span $$;

-- Albums -------------------------------------------------------------------------------------------------------------
-- 吳阿公 has no album at all, and 小雨 has one that is still empty.

INSERT INTO album (owner_id, title, slot, lat, lng, score)
SELECT pg_temp.person(handle), title, category, lat, lng, score
  FROM (VALUES
    ( 1, 'demo',  '淡水河邊的夏天',              1, 25.1696,   121.4409,   42),
    ( 2, 'demo',  '第一次自己去京都 Kyoto solo', 6, 35.011636, 135.768029, 87),
    ( 3, 'demo',  '下個月的露營（還沒有照片）',    9, 24.5711,   121.2110,    0),
    ( 4, 'ajhe',  '夜市 & 小吃 <未完待續>',      7, 25.0880,   121.5241,  130),
    ( 5, 'ajhe',  '畢業典禮',                    4, 25.0174,   121.5397,   18),
    ( 6, 'mei',   '橘子三歲了',                  8, 22.6273,   120.3014,  256),
    ( 7, 'hana',  '桜 · 櫻花 · sakura',         14, 35.0394,   135.7292,   64),
    ( 8, 'lars',  'Nordlys 2 a.m., −24 °C',     13, 69.6492,    18.9553,   99),
    ( 9, 'lars',  'Low tide',                   14, -13.8333, -171.7333,    7),
    (10, 'page9', '"九頁" 店貓與新書',          12, 24.1477,   120.6736,   33)
  ) AS new (n, handle, title, category, lat, lng, score)
 ORDER BY n;

-- Points of interest -------------------------------------------------------------------------------------------------
-- Every line of the table is: countries, coordinates as ±DDMM[SS]±DDDMM[SS], zone name, remark; parted by tabs. The
-- delimiter and quote chosen here never occur, so each line arrives whole.

CREATE TEMP TABLE zone_line (line text) ON COMMIT DROP;
\copy pg_temp.zone_line FROM PROGRAM 'grep -v "^#" /usr/share/zoneinfo/zone1970.tab' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')

-- ISO 6709's degrees, minutes and seconds, in parts with one sign, as decimal degrees.
CREATE FUNCTION pg_temp.degrees(sign text, d text, m text, s text) RETURNS numeric IMMUTABLE LANGUAGE sql AS
    $$ SELECT trim_scale(round((sign || '1')::numeric
              * (d::numeric + m::numeric / 60 + coalesce(s, '0')::numeric / 3600), 6)) $$;

CREATE TEMP TABLE place ON COMMIT DROP AS
SELECT row_number() OVER () AS n,
       split_part(zone, '/', 1) AS region,
       replace(regexp_replace(zone, '^.*/', ''), '_', ' ') AS name,
       pg_temp.degrees(part[1], part[2], part[3], part[4]) AS lat,
       pg_temp.degrees(part[5], part[6], part[7], part[8]) AS lng
  FROM zone_line,
       split_part(line, E'\t', 3) AS zone,
       regexp_match(split_part(line, E'\t', 2),
                    '^([+-])(\d\d)(\d\d)(\d\d)?([+-])(\d\d\d)(\d\d)(\d\d)?$') AS part;

-- Calm islands, good food, places of one's own, cities of many homes, and where it is cold enough to scream.
INSERT INTO poi (owner_id, title, slot, lat, lng, score, updated_at)
SELECT pg_temp.person((ARRAY['demo', 'ajhe', 'mei', 'hana', 'lars', 'page9'])[1 + n % 6]),
       coalesce(local.name || ' ', '') || place.name,
       16 + CASE WHEN abs(lat) > 58 THEN 5
                 WHEN region IN ('Pacific', 'Indian', 'Atlantic') THEN 1
                 WHEN region = 'Asia' THEN 2
                 WHEN region = 'Europe' THEN 4
                 ELSE 3 END,
       lat, lng, n * 37 % 100, pg_temp.ago(make_interval(days => (n * 13 % 400)::integer))
  FROM place
  LEFT JOIN (VALUES ('Taipei', '臺北'), ('Tokyo', '東京'), ('Hong Kong', '香港'), ('Macau', '澳門'), ('Shanghai', '上海'),
                    ('Singapore', '新加坡'), ('Seoul', '首爾'), ('Bangkok', '曼谷'), ('Manila', '馬尼拉'),
                    ('Paris', '巴黎'), ('London', '倫敦'), ('Vienna', '維也納'), ('New York', '紐約'),
                    ('Honolulu', '檀香山'), ('Auckland', '奧克蘭'), ('Sydney', '雪梨')
            ) AS local (english, name) ON local.english = place.name
 ORDER BY n;

-- Blogs --------------------------------------------------------------------------------------------------------------
-- The line breaks of the contents are stored as CR LF, as clients send them.

INSERT INTO blog (owner_id, slot, lat, lng, title, content, post_date, public_day, weather, zoom_level, map_type,
                  user_category, score, created_at, updated_at)
SELECT pg_temp.person(handle), blog_slot(type), lat, lng, title, replace(content, E'\n', E'\r\n'),
       written::date, written::date, weather::weather, zoom, map, label, score, least(written, now()), least(written, now())
  FROM (VALUES
    (1, 'demo', '0_4', 25.0421, 121.5081, '一碗牛肉麵的距離', 40, '陰雨綿綿', 16, 1, '下班後', 61,
$$從公司到那家麵店，<b>走路七分鐘</b>，下雨天九分鐘。
老闆記得我不加酸菜，卻從來不問我叫什麼名字。

今天的湯比平常鹹一點。我猜，他也有他的一天。$$),

    (2, 'ajhe', '0_4', 25.0478, 121.5170, 'Re: 一碗牛肉麵的距離', 39, '雨過天晴', 16, 1, NULL, 12,
$$同一家！我都坐 <i>靠門第二張桌子</i>。
下次看到戴黃色耳機的人，就是我 :-)$$),

    (3, 'mei', '0_1', 22.6273, 120.3014, '橘子學會開門了', 21, '晴空萬里', 17, 3, '貓日記', 205,
$$<p>第一天，牠用頭撞。</p>
<p>第二天，牠用爪子勾。</p>
<p>第三天，牠坐在門口叫，<em>我去幫牠開</em>。</p>
<p>誰訓練誰，結論很清楚。</p>$$),

    (4, 'hana', '0_8', 35.0394, 135.7292, '雪の金閣 A morning of snow',
        -- in January of last year, for the snow's sake
        current_date - date_trunc('year', now())::date + 342, '大雪數日', 15, 2, '京都散步', 78,
$$The bus was late, the pond was frozen, and the gold had gone quiet under the snow.
旁邊的老先生說：「雪の日は、金より白が高い。」
I bought two cups of amazake and gave him one.$$),

    (5, 'lars', '0_8', -77.8333, 166.6, 'Letter from McMurdo', 75, '狂風暴雨', 6, 2, NULL, 140,
$$Wind at 40 knots & rising; the radio says "stay in", the kitchen says "soup".
if (wind > 30) { stay_in(); } /* <- the whole house rule */

你好，Taipei! Somebody here has pinned your noodle shop to our wall map.$$),

    (6, 'page9', '0_3', 24.1477, 120.6736, '下一本讀書會要讀什麼？', 6, '烏雲滿天', 14, 1, '店務', 29,
$$選項在下面，投票到月底。
規則一樣：<u>沒讀完也可以來</u>，但是不可以假裝讀完。$$),

    (7, 'wu', '0_2', 23.4801, 120.4491, '阿公的第一篇', 3, '有彩虹', 14, 1, NULL, 88,
$$孫女教我打字，打了半小時。
今天田裡出了彩虹，兩條。以前跟你阿嬤看過一次，那時候沒有手機。$$),

    (8, 'demo', '0_6', 25.1696, 121.4409, '今天什麼都沒發生，真好', 1, '晴空萬里', 13, 1, '小日子', 15,
$$起床、洗衣服、曬衣服、看雲。
	（縮排是故意的，因為心情也是）
晚上 8:45 的渡船上只有我和一隻狗。狗比較會看海。$$),

    (9, 'demo', '0_2', 25.0330, 121.5654, '給明年的自己', -365, '晴空萬里', 14, 1, '時光膠囊', 0,
$$如果你讀到這篇，表示日子到了。
那家麵店還在嗎？京都去第二次了嗎？
不管答案是什麼，先去吃飯。$$)
  ) AS new (n, handle, type, lat, lng, title, days, weather, zoom, map, label, score, content),
  -- A piece dated ahead is written today; only its day lies in the future, and until then only 小雨 can read it.
  pg_temp.ago(make_interval(days => days)) AS written
 ORDER BY n;

UPDATE blog SET reply_number = (SELECT number FROM blog WHERE title = '一碗牛肉麵的距離')
 WHERE title = 'Re: 一碗牛肉麵的距離';

INSERT INTO vote (blog_id, description)
SELECT number, '下一本讀什麼？（可以偷偷拜票）' FROM blog WHERE title = '下一本讀書會要讀什麼？';
INSERT INTO vote_choice (blog_id, position, description, votes)
SELECT blog_id, position, choice.description, votes
  FROM vote, (VALUES (1, '一本很厚的小說', 7), (2, '一本很薄的詩集', 12), (3, '食譜 & 回憶錄', 9), (4, '店貓決定', 31))
       AS choice (position, description, votes);

-- What the service would have credited for them.
INSERT INTO ledger (user_id, blog_id, amount, credited_on, created_at)
SELECT owner_id, number, 10, created_at::date, created_at FROM blog;

-- Comments -----------------------------------------------------------------------------------------------------------
-- Some answered by the owner of the piece, some not; a reply comes a while after the comment.

INSERT INTO comment (kind, number, commenter_id, comment, created_at, reply, replied_at)
SELECT kind, number, pg_temp.person(handle), replace(comment, E'\n', E'\r\n'), pg_temp.ago(age),
       reply, CASE WHEN reply IS NOT NULL THEN pg_temp.ago(age - interval '47 minutes') END
  FROM (VALUES
    ( 1, '淡水河邊的夏天', 'ajhe', interval '9 days 3 hours', '第二張可以當我的桌布嗎？', '拿去！記得請我吃阿給'),
    ( 2, '淡水河邊的夏天', 'hana', interval '8 days',         'きれい… the light is unreal', NULL),
    ( 3, '淡水河邊的夏天', 'wu',   interval '2 days 5 hours', '風大要戴帽子', '有戴啦阿公 ♥'),
    ( 4, '橘子三歲了',     'demo', interval '20 days',        '生日快樂！！！給摸嗎', '不給。'),
    ( 5, '夜市 & 小吃 <未完待續>', 'lars', interval '30 days', 'Is "加蒜" a question or an order?', 'An order.'),
    ( 6, '臺北 Taipei',     'lars', interval '12 days',       'Umbrella: yes. Every day: yes.', NULL),
    ( 7, '臺北 Taipei',     'mei',  interval '4 days',        '雨停的五分鐘最好看', NULL),
    ( 8, '東京 Tokyo',      'page9', interval '16 days',      '神保町應該有自己的分類 <3', NULL),
    ( 9, 'Troll',           'demo', interval '33 days',       E'這裡真的有人住嗎？\n冬天幾個人？', NULL),
    (10, '一碗牛肉麵的距離', 'mei',  interval '38 days',      '「他也有他的一天」😭', '我也是寫完才想到的'),
    (11, '一碗牛肉麵的距離', 'page9', interval '37 days 6 hours', '可以收進店裡的 "城市散文" 專櫃嗎？', '可以可以可以'),
    (12, '一碗牛肉麵的距離', 'wu',   interval '2 days',       '酸菜要加', NULL),
    (13, '橘子學會開門了',   'hana', interval '20 days',      'うちの子は窓も開けます。小心！', '完了'),
    (14, 'Letter from McMurdo', 'ajhe', interval '70 days',   'Soup > wind. 保重！', 'Soup it was. Takk!'),
    (15, '阿公的第一篇',     'demo', interval '2 days 20 hours', '阿公好棒！兩條彩虹耶', NULL)
  ) AS new (n, title, handle, age, comment, reply)
  JOIN piece USING (title)
 ORDER BY n;

COMMIT;
