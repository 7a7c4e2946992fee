/**
 * Words for directions in Estonian, Turkish, Romanian, Croatian, Slovene, Slovak, Greek, Russian,
 * Ukrainian, Hebrew, Korean, Japanese and Chinese.
 */
export const OTHER_DIRECTIONS = {
  out: `deebet|χ|출금|חובה|borc|cikan|gider|cheltuiala|plata|isplata|dugovno|teret|odliv|breme|vydavok|debetna|χρέωση|расход|списание|дебет|витрата|видаток|出金|支払|支払い|出|支出|借|借方|转出|付款|支`,
  in: `kreedit|π|입금|זכות|alacak|giren|gelir|venit|incasare|uplata|potrazno|korist|priliv|dobro|prijem|πίστωση|приход|зачисление|кредит|надходження|入金|預入|入|收入|貸方|贷|贷方|转入|收款|收`,
};

/** Words for booking states in the same languages. */
export const OTHER_STATUSES = {
  booked: `tamamlandi|gerceklesti|basarili|onaylandi|finalizat|finalizata|efectuat|efectuata|procesat|procesata|proknjizeno|izvrseno|knjizeno|izvedeno|knjizena|zauctovana|zuctovana|vykonana|ολοκληρώθηκε|исполнено|исполнен|проведено|проведен|проведён|выполнено|выполнен|выполнена|успешно|ok
    |завершено|виконано|処理済|完了|確定|交易成功|支付成功|已完成|成功|已入账|已收钱|对方已收钱|充值成功|提现已到账|已存入零钱`,
  pending: `beklemede|bekliyor|provizyon|in asteptare|in procesare|autorizat|na cekanju|u obradi|rezervirano|v obdelavi|v cakani|caka|blokovane|εκκρεμεί|в обработке|ожидает|ожидание|на исполнении|авторизован|авторизована|холд|в обробці|очікує|処理中|未確定|保留|处理中|等待付款|待付款|待入账`,
  declined: `reddedildi|iptal|iptal edildi|basarisiz|respins|respinsa|anulat|anulata|odbijeno|ponisteno|stornirano|otkazano|zavrnjeno|zamietnuta|zrusena|απορρίφθηκε|ακυρώθηκε|отклонено|отклонен|отклонена|отменено|отменен|отменена|ошибка|відхилено|скасовано|取消|失敗|キャンセル|交易关闭|已关闭|失败|已撤销|交易失败|支付失败`,
};
