import type { MappedField } from "../mapping.ts";

/**
 * Column names in Estonian, Turkish, Romanian, Croatian, Slovene, Slovak, Greek, Russian,
 * Ukrainian, Hebrew, Korean, Japanese and Chinese, which are less likely than those of
 * `HEADER_WORDS`.
 */
export const OTHER_HEADER_WORDS: Partial<Record<MappedField, string>> = {
  amount: `tutar|islem tutari|suma|valoare|iznos|znesek|suma operatsii|ποσό|ποσόν|сумма|сумма операции|сумма платежа|сумма в валюте счета|сума|сума операції|сума у валюті картки|сума в валюті картки
    |金額|取引金額|金额|交易金额|发生额|人民币金额|거래금액|금액|סכום|suma tranzactie|suma tranzactiei|ciastka|suma transakcie`,
  debit: `borc|cikan|cikan tutar|suma debit|debit lei|isplata|isplate|dugovni promet|duguje|na teret|breme|v breme|odliv|na tarchu|χρέωση|χρεώσεις|расход|списание|дебет|сумма по дебету|витрата|видаток
    |支払い金額|お支払金額|支払金額|お支払い金額|出金|出金額|引出|お引出し|お引き出し|支出|支出金额|借方|借方金額|借方金额|借方发生额|转出金额|付款金额|출금액|출금|출금금액|찾으신금액|지급액|חובה|בחובה`,
  credit: `alacak|giren|giren tutar|suma credit|credit lei|uplata|uplate|potrazni promet|potrazuje|u korist|dobro|v dobro|priliv|v prospech|πίστωση|πιστώσεις|приход|зачисление|кредит|сумма по кредиту|надходження
    |預かり金額|お預り金額|お預かり金額|預り金額|入金|入金額|お預入れ|収入|收入|收入金额|存入金额|贷方|貸方|貸方金額|贷方金额|贷方发生额|转入金额|收款金额|입금액|입금|입금금액|맡기신금액|זכות|בזכות`,
  sign: `borc alacak|deebet kreedit|πρόσημο|πρόσημο ποσού|χρέωση πίστωση|predznak|입출금구분|거래구분|收 支|收支|收支类型|借贷标志|借贷|入出金|入払区分|入出金区分|入出金種別|дебет кредит|приход расход|тип операции`,
  currency: `valuuta|통화|מטבע|para birimi|doviz|doviz cinsi|moneda tranzactiei|valuta racuna|νόμισμα|валюта|валюта операции|валюта счета|валюта операції|валюта картки|通貨|币种|币别|货币`,
  value_date: `תאריך ערך|יום ערך|valor tarihi|valorna data|data valutei|datum valute|datum valutacije|ημερομηνία αξίας|ημ νία αξίας|ημερομηνία valeur|valeur|дата валютирования|起息日`,
  booked_date: `kuupaev|거래일시|거래일자|거래일|날짜|תאריך|תאריך פעולה|tarih|islem tarihi|islem tarihi ve saati|data tranzactiei|data tranzactie|data inregistrarii|data operatiunii|datum knjizenja|datum transakcije|datum izvrsenja|datum uctovania|datum transakcie|datum zauctovania
    |ημερομηνία|ημ νία|ημερομηνία συναλλαγής|ημερομηνία κίνησης|дата|дата операции|дата платежа|дата проводки|дата операції|дата транзакції|дата і час операції
    |日付|取引日|年月日|お取引日|取扱日付|利用日|ご利用日|日期|交易日期|记账日期|记账日|交易时间|入账日期`,
  reference: `dokumendi number|אסמכתא|referans|dekont|dekont no|fis no|referinta|numar document|poziv na broj|referenca|sklic|variabilny symbol|αριθμός παραστατικού|παραστατικό|номер документа|основание|номер документу|取引番号|凭证号|凭证号码|商家订单号|商户单号`,
  counterparty: `saaja maksja|보낸분 받는분|거래처|karsi hesap|alici|gonderen|karsi taraf|beneficiar|ordonator|partener|naziv primatelja|primatelj|platitelj|partner|naziv partnera|prejemnik|placnik|nazov protiuctu|nazov partnera|αντισυμβαλλόμενος|контрагент|получатель|плательщик
    |отримувач|платник|取引先|お取引先|摘要内容|ご利用先|利用店名|交易对方|对方户名|对方名称|收款人|付款人|对方账户名称`,
  description: `selgitus|적요|내용|거래내용|הפעולה|תיאור|פרטים|aciklama|islem aciklamasi|islem|descriere|detalii|detalii tranzactie|opis placanja|opis transakcije|svrha placanja|namen|namen placila|popis transakcie|sprava pre prijemcu|ucel platby|περιγραφή|αιτιολογία|περιγραφή συναλλαγής|назначение платежа
    |описание|описание операции|призначення платежу|опис операції|деталі операції|selite|viesti|摘要|取引内容|お取引内容|備考|商品说明|商品|交易摘要|用途|附言|备注|opis transakcji`,
  external_id: `arhiveerimistunnus|islem no|numar tranzactie|broj transakcije|id transakcije|identifikator transakcije|id transakcie|идентификатор операции|номер операции|номер транзакции|ідентифікатор|取引id|交易流水号|交易订单号|交易单号|流水号|交易号`,
};

/** Names of balance columns in the same languages. */
export const OTHER_BALANCES = `bakiye|sold|sold contabil|sold final|stanje|stanje racuna|saldo poslije|zostatok|υπόλοιπο|υπόλοιπο λογαριασμού|остаток|остаток на счете|залишок|залишок на кінець періоду|saldo|jaak|残高|差引残高|取引後残高|余额|账户余额|本次余额|잔액|거래후잔액|יתרה`;
