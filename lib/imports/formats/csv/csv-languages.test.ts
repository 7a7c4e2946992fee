/** Exports of banks in other languages, read without a question. */
import { test } from "vitest";
import { expectOutcome, type Outcome, rows } from "./csv-outcome.test-support.ts";

const BOTH: Outcome = { lines: ["10-02 -4520", "10-05 120000"] };

test.each<[string, string, string, Outcome]>([
  [
    "Portuguese, with the currency in brackets",
    rows(
      "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$)",
      "01/10/2026;SALDO ANTERIOR;;;;1.000,00",
      "13/10/2026;PAGTO ELETRON;7654321;;-45,20;954,80",
      "15/10/2026;TED RECEBIDA;1234567;1.200,00;;2.154,80",
      "Total;;;1.200,00;-45,20;2.154,80",
    ),
    "BRL",
    { lines: ["10-13 -4520", "10-15 120000"], skipped: ["total", "total"] },
  ],
  [
    "Finnish",
    rows(
      '"Kirjauspäivä";"Arvopäivä";"Määrä EUROA";"Laji";"Selitys";"Saaja/Maksaja"',
      '"2026-10-01";"2026-10-02";"-45,20";"162";"PKORTTIMAKSU";"ALEPA"',
      '"2026-10-05";"2026-10-05";"1 200,00";"506";"TILISIIRTO";"ASIAKAS OY"',
    ),
    "EUR",
    BOTH,
  ],
  [
    "Turkish, with a balance carried forward",
    rows(
      "İşlem Tarihi;Açıklama;Borç;Alacak;Bakiye",
      "01.10.2026;Devir;;;1.000,00",
      "02.10.2026;EFT GİDEN;45,20;;954,80",
      "05.10.2026;HAVALE GELEN;;1.200,00;2.154,80",
    ),
    "TRY",
    { ...BOTH, skipped: ["total"] },
  ],
  [
    "Croatian, with balances as rows",
    rows(
      "Datum knjiženja;Opis plaćanja;Naziv primatelja;Isplata;Uplata",
      "01.10.2026;Početno stanje;;;1.000,00",
      "02.10.2026;Račun 12;Konzum d.d.;45,20;",
      "05.10.2026;Uplata;Kupac d.o.o.;;1.200,00",
      "31.10.2026;Završno stanje;;;2.154,80",
    ),
    "EUR",
    { ...BOTH, skipped: ["total", "total"] },
  ],
  [
    "Russian, with refused operations and balances as rows",
    rows(
      "Дата операции;Статус;Сумма операции;Валюта операции;Описание",
      "01.10.2026;OK;1000,00;RUB;Входящий остаток",
      "02.10.2026;OK;-45,20;RUB;Пятёрочка",
      "05.10.2026;OK;1200,00;RUB;ООО Ромашка",
      "06.10.2026;FAILED;-99,00;RUB;МТС",
    ),
    "RUB",
    { ...BOTH, skipped: ["total", "declined"] },
  ],
  [
    "Greek, with the direction as a letter",
    rows(
      "Ημ/νία;Αιτιολογία;Ποσό;Πρόσημο ποσού",
      "02.10.2026;ΑΓΟΡΑ POS;45,20;Χ",
      "05.10.2026;ΕΜΒΑΣΜΑ;1.200,00;Π",
    ),
    "EUR",
    BOTH,
  ],
  [
    "Chinese, with the direction in words and closed orders",
    rows(
      "交易时间,交易分类,交易对方,商品说明,收/支,金额(元),交易状态,交易订单号",
      "2026-10-02 12:30:11,餐饮,美团,外卖,支出,¥45.20,交易成功,2026100222001",
      "2026-10-05 09:10:00,转账,李四,转账,收入,¥1200.00,交易成功,2026100522002",
      "2026-10-06 10:00:00,餐饮,星巴克,咖啡,支出,¥30.00,交易关闭,2026100622003",
    ),
    "CNY",
    { ...BOTH, skipped: ["declined"] },
  ],
  [
    "Japanese",
    rows(
      "年月日,お引出し,お預入れ,お取り扱い内容,残高",
      "2026/10/2,4520,,コンビニ,95480",
      "2026/10/5,,120000,振込,215480",
    ),
    "JPY",
    BOTH,
  ],
  [
    "Korean",
    rows(
      "거래일시,적요,출금액,입금액,잔액",
      "2026.10.02 12:30:11,체크카드,4520,0,95480",
      "2026.10.05 09:10:00,전자금융,0,120000,215480",
    ),
    "KRW",
    BOTH,
  ],
])("%s", (_what, text, currency, outcome) => expectOutcome(text, currency, outcome));

test.each<[string, string, string, Outcome]>([
  [
    "two-digit years in front are recognised by being less spread than days",
    rows("Könyvelés dátuma;Összeg;Közlemény", "26.10.02;-45,20;Bolt", "26.10.05;1200;Ügyfél"),
    "EUR",
    BOTH,
  ],
  [
    "cells beyond the header's last name are kept",
    rows(
      '"Data operacji","Kwota","Opis transakcji","",""',
      '"2026-10-02","-45.20","Tytuł: 12","Lokalizacja: Warszawa",""',
      '"2026-10-05","+1200.00","Tytuł: 13","Nazwa: KLIENT","FV 12"',
    ),
    "PLN",
    BOTH,
  ],
])("%s", (_what, text, currency, outcome) => expectOutcome(text, currency, outcome));

test.each<[string, string, string, Outcome]>([
  [
    "of a table without a header, the column that moves by the other is the balance",
    rows(
      "123456789\tEUR\t20261002\t1000,00\t954,80\t20261002\t-45,20\tBEA",
      "123456789\tEUR\t20261005\t954,80\t2154,80\t20261005\t1200,00\tFACTUUR 12",
    ),
    "EUR",
    BOTH,
  ],
  [
    "a number of a cheque is no amount",
    rows(
      '"10/02/2026","-45.20","*","","SHELL"',
      '"10/05/2026","1200.00","*","","PAYROLL"',
      '"10/20/2026","-7.00","*","1052","CHECK # 1052"',
    ),
    "USD",
    { lines: ["10-02 -4520", "10-05 120000", "10-20 -700"] },
  ],
  [
    "two letters next to amounts without a sign are asked about",
    rows(
      '"11773016-01234567","T",12500,"HUF",20261002,250000,"Bolt"',
      '"11773016-01234567","J",100000,"HUF",20261005,350000,"Ügyfél"',
    ),
    "HUF",
    { asks: "sign_values" },
  ],
  [
    "a card's negative payment among positive purchases is asked about",
    rows(
      "Date,Description,Card Member,Amount",
      "03/31/2026,POWER CO,A PERSON,50.00",
      "03/13/2026,AUTOPAY PAYMENT - THANK YOU,A PERSON,-700.00",
    ),
    "USD",
    { asks: "amount_sign" },
  ],
  [
    "a card's payment and purchases are distinguished by their kind",
    rows(
      "Transaction Date,Merchant,Type,Amount (USD)",
      "10/30/2026,Amazon,Purchase,45.20",
      "10/28/2026,Ach Deposit,Payment,-500.00",
    ),
    "USD",
    { asks: "amount_sign" },
  ],
  [
    "an account that pays with thanks is read as it is",
    rows(
      "Date,Description,Amount",
      "2026-10-02,INVOICE 4711 THANK YOU,-45.20",
      "2026-10-03,Rent,-500.00",
      "2026-10-15,Client,300.00",
    ),
    "EUR",
    { lines: ["10-02 -4520", "10-03 -50000", "10-15 30000"] },
  ],
  [
    "a card's payment is recognised in German, too",
    rows(
      "Datum;Beschreibung;Betrag",
      "13.10.2026;REWE;45,20",
      "15.10.2026;ZAHLUNG ERHALTEN. BESTEN DANK.;-300,00",
    ),
    "EUR",
    { asks: "amount_sign" },
  ],
  [
    "integers in a column of cents are minor units",
    rows("date,description,amount_cents", "2026-10-02,a,-4520", "2026-10-05,b,120000"),
    "EUR",
    BOTH,
  ],
  [
    "cents are recognised in brackets and camel case, with a fee",
    rows("date,chargedAmount (in pence),fee_pence", "2026-10-02,-4500,20", "2026-10-05,120100,100"),
    "GBP",
    { asks: "fee_handling" },
  ],
  [
    "cents with a direction column",
    rows("date,type,amount_cents", "2026-10-02,debit,4520", "2026-10-05,credit,120000"),
    "EUR",
    BOTH,
  ],
  [
    "a column of cents that has decimals is in major units",
    rows("date,description,cents", "2026-10-02,a,-45.20", "2026-10-05,b,1200.00"),
    "EUR",
    BOTH,
  ],
  [
    "a row without a booking date, where others have one, is refused as not booked yet",
    rows(
      "Buchungstag;Wertstellung;Text;Betrag",
      "02.10.2026;02.10.2026;a;-45,20",
      "05.10.2026;05.10.2026;b;1.200,00",
      ";06.10.2026;c;-9,99",
    ),
    "EUR",
    { ...BOTH, refused: [4] },
  ],
  [
    "a booking date that most rows lack is no booking date",
    rows(
      "Posting Date,Value Date,Text,Amount",
      ",2026-10-02,a,-45.20",
      ",2026-10-05,b,1200.00",
      "2026-10-05,2026-10-06,c,5.00",
    ),
    "EUR",
    { lines: [...(BOTH.lines ?? []), "10-06 500"] },
  ],
  [
    "a dash in place of an amount is nothing",
    rows("Date,Details,Debit,Credit", "2026-10-02,POS,45.20,-", "2026-10-05,TRF,-,1200.00"),
    "EUR",
    BOTH,
  ],
  [
    "days with weekdays, ordinals and East Asian signs are read",
    rows("Datum;Text;Betrag", "2. Oktober 2026;a;-45,20", "Mo 5. Okt. 2026;b;1200,00"),
    "EUR",
    BOTH,
  ],
  [
    "East Asian days",
    rows("日付,摘要,金額", "2026年10月2日,a,-4520", "2026年10月5日(月),b,120000"),
    "JPY",
    BOTH,
  ],
  [
    "days in Spanish words",
    rows("Fecha;Concepto;Importe", "2 de octubre de 2026;a;-45,20", "5 de oct. de 2026;b;1200,00"),
    "EUR",
    BOTH,
  ],
  [
    "a text before a day is no weekday",
    rows(
      "Text;Betrag;Tag",
      "Miete 01.09.2026;-45,20;02.10.2026",
      "Abo 02.09.2026;1200,00;05.10.2026",
    ),
    "EUR",
    BOTH,
  ],
])("%s", (_what, text, currency, outcome) => expectOutcome(text, currency, outcome));
