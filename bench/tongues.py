"""Contexts of the kind we render, written for this purpose: other languages, signs, ids and other hard shapes."""

from __future__ import annotations

LANGUAGES = {
    "German": "Vor dem Zusammenführen muss die Prüfung grün sein; sonst schlägt die Veröffentlichung fehl. Größere "
    "Änderungen bitte in einem eigenen Zweig vorbereiten. Der Schlüssel liegt im Tresor, nicht in der Datei.",
    "French": "Avant de pousser, exécutez les tests d'intégration : ils échouent si la base n'est pas démarrée. "
    "L'utilisateur préfère des messages courts, sans émoticônes, et une explication à côté du code modifié.",
    "Spanish": "Antes de fusionar, ejecuta las pruebas: fallan si el contenedor no está levantado. La contraseña no se "
    "guarda aquí. El usuario corrigió dos veces el nombre de la función; úsalo tal como está en la documentación.",
    "Portuguese": "A migração falha quando a versão anterior ainda está aberta; feche as sessões e tente novamente. "
    "As configurações ficam na pasta do usuário, não no repositório.",
    "Italian": "Il comando fallisce perché la cartella non esiste più: è stata spostata in primavera. Usa il nuovo "
    "percorso e aggiorna anche gli esempi nella guida.",
    "Dutch": "Draai eerst de linter, daarna de tests. De gebruiker wil geen afkortingen in foutmeldingen en vraagt om "
    "een korte samenvatting bij elke wijziging.",
    "Swedish": "Körningen misslyckas om cachen är gammal; rensa den och försök igen. Ändra inte gränssnittet utan att "
    "fråga först.",
    "Finnish": "Käännös epäonnistuu, jos riippuvuuksia ei ole päivitetty. Käyttäjä haluaa, että virheilmoitukset "
    "kirjoitetaan kokonaisina lauseina.",
    "Polish": "Przed wysłaniem zmian uruchom testy; błąd pojawia się tylko wtedy, gdy usługa nie działa. Użytkownik "
    "prosił, żeby nie zmieniać nazw plików.",
    "Czech": "Příkaz selže, pokud není nastavena proměnná prostředí. Nejdřív spusťte kontrolu, potom teprve sestavení.",
    "Hungarian": "A futtatás meghiúsul, ha a gyorsítótár elavult; törölje, és próbálja újra a következő lépéseket.",
    "Romanian": "Înainte de a trimite modificările, rulați testele; eroarea apare doar când serviciul nu răspunde.",
    "Turkish": "Değişiklikleri göndermeden önce testleri çalıştırın; hizmet kapalıysa hata oluşur ve günlük boş kalır.",
    "Vietnamese": "Trước khi gửi thay đổi, hãy chạy kiểm thử; lỗi chỉ xuất hiện khi dịch vụ chưa được khởi động.",
    "Indonesian": "Jalankan pengujian sebelum mengirim perubahan; kesalahan muncul jika layanan belum dinyalakan.",
    "Russian": "Перед слиянием запустите проверки: они падают, если база данных не поднята. Пользователь просил писать "
    "короткие сообщения и не менять имена файлов без вопроса.",
    "Ukrainian": "Перед злиттям запустіть перевірки: вони падають, якщо службу не запущено. Ключ лежить у сховищі.",
    "Greek": "Πριν από τη συγχώνευση εκτελέστε τους ελέγχους· αποτυγχάνουν όταν η υπηρεσία δεν έχει ξεκινήσει.",
    "Hebrew": "לפני המיזוג יש להריץ את הבדיקות; הן נכשלות כאשר השירות אינו פועל והיומן נשאר ריק.",
    "Arabic": "قبل الدمج شغّل الاختبارات، فهي تفشل إذا لم تكن الخدمة قيد التشغيل. المستخدم يفضّل رسائل قصيرة وواضحة.",
    "Persian": "پیش از ادغام، آزمون‌ها را اجرا کنید؛ اگر سرویس روشن نباشد شکست می‌خورند و گزارش خالی می‌ماند.",
    "Hindi": "मिलाने से पहले जाँच चलाएँ; सेवा चालू न हो तो वे विफल हो जाती हैं। उपयोगकर्ता छोटे संदेश पसंद करता है।",
    "Bengali": "একত্র করার আগে পরীক্ষাগুলি চালান; পরিষেবা চালু না থাকলে সেগুলি ব্যর্থ হয়।",
    "Tamil": "இணைப்பதற்கு முன் சோதனைகளை இயக்கவும்; சேவை இயங்கவில்லை என்றால் அவை தோல்வியடையும்.",
    "Thai": "ก่อนรวมโค้ดให้รันการทดสอบทุกครั้ง เพราะจะล้มเหลวหากยังไม่ได้เปิดบริการ และบันทึกจะว่างเปล่า",
    "Korean": "병합하기 전에 테스트를 실행하세요. 서비스가 켜져 있지 않으면 실패합니다. "
    "사용자는 짧은 메시지를 선호합니다.",
    "Japanese": "マージする前に必ずテストを実行してください。サービスが起動していないと失敗します。設定ファイルは"
    "ユーザーのフォルダーにあり、リポジトリには含まれていません。",
    "Chinese": "合并之前请先运行测试；如果服务没有启动，测试就会失败。配置文件在用户目录里，不在仓库中。用户希望提交"
    "信息简短，并且不要改动文件名。",
    "Traditional Chinese": "合併之前請先執行測試；如果服務沒有啟動，測試就會失敗。設定檔在使用者目錄裡，不在儲存庫中。",
}

SHAPES = {
    "paths": "- looking for `src/harbor/berths/allocation.py` -> `src/harbor/quays/allocation.py` (k09a3f1c22e, "
    "2026-03-14)\n- `/home/ana/src/harbor/.venv/lib/python3.11/site-packages/quayside/__init__.py` is generated\n",
    "errors": "- `npm run build:berths` fails with 'TS2345: Argument of type 'string | undefined' is not assignable to "
    "parameter of type 'BerthId'.' -> add `?? DEFAULT_BERTH`\n- `error[E0502]: cannot borrow `*self` as mutable`\n",
    "flags": "- `rg -nUS --no-heading -g '!**/node_modules/**' 'allocateBerth\\(' -C3 | head -n 50`\n- `kubectl -n "
    "harbor rollout status deploy/quay-api --timeout=90s`; `tar -xzf q.tgz --strip-components=1`\n",
    "ids": "- 3f9c2a7be01d4455a6c7d8e9f0a1b2c3 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d v2.14.0-rc.3+build.77\n- "
    "qL8xZ0tWv3NnRk5uYb1cHd7eJf2gMa9sPo4iUr6wXy+/QzT== 2026-11-02T08:15:42.913Z 192.0.2.41:8443\n",
    "names": "- `getLatestBerthAllocationOrThrow(harborId, asOfDate)` in `BerthAllocationServiceImpl.java`\n- "
    "MAX_BERTH_RETRY_COUNT, HARBOR_API_BASE_URL, TestAllocate_WhenQuayIsFull_Waits, nolintlint, revivecheck\n",
    "signs": "- ✅ berths pass, ❌ quays fail, ⚠️ two skipped 🚀🎉\n│ quay │ free │\n├──────┼──────┤\n│ north │ 3 │\n"
    "└──────┴──────┘ → “wait”… — done ⏳ 🧪 👩‍💻 1½ × 3 ≥ 4 °C\n",
    "listing": "-rw-r--r-- 1 ana staff  4096 Nov  2 08:15 berths.sql\ndrwxr-xr-x 3 ana staff   102 Nov  2 08:15 quays\n"
    "\x1b[1m\x1b[32mok\x1b[0m  harbor/quays  0.412s  [no test files]\n",
    "prose": "- The tests need the database: start it with `make db-up` before `make test`, or half of them are "
    "skipped without a word.\n- When asked for a summary, answer in three sentences; don't repeat the diff.\n",
}
