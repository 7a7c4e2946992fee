import type { MappedField } from "../mapping.ts";

/**
 * More column names, also in the Nordic languages, Polish, Czech and Hungarian. They have the same
 * form as `HEADER_WORDS`, and are less likely.
 */
export const MORE_HEADER_WORDS: Partial<Record<MappedField, string>> = {
  amount: `tranzakcio osszege|belopp|belob|beloeb|belop|kwota|kwota operacji|castka|osszeg|maara|summa|local amount|line amount|betrag in hauswahrung|montant en euros
    |montant operation|montante|quantia|transactiebedrag|importe movimiento|invoice amount|rechnungsbetrag|buchungsbetrag|umsatz ohne soll haben kz
    |signed amount|transaction value|importe operacion|importo movimento|valor movimento|bedrag in euro|monto total`,
  debit: `montant au debit|montant debiteur|sortie|sorties|depenses|retrait|retraits|importe debe|importe cargo|adeudos|importo dare|levantamentos
    |debitos|uit|uitgaven|afgeschreven|ut|uttag|utbetalning|utgifter|ut fra konto|ut av konto|outgoing|outflow|debitering|haevet|obciazenia|wydatki
    |tartozik|terheles|otot|debit transactions|ausgange|ausgaenge|soll betrag|umsatz soll|belastungen|payments|cash out|belastung in chf|payments made`,
  credit: `montant au credit|montant crediteur|entree|entrees|recettes|depot|depots|importe haber|importe abono|importo avere|inkomsten|bijgeschreven
    |inn|insattning|insattningar|inbetalning|inntekter|inn pa konto|incoming|inflow|kreditering|indsat|uznania|wplywy|kovetel|jovairas|panot|receipts
    |credit transactions|eingange|eingaenge|haben betrag|umsatz haben|gutschriften|cash in|gutschrift in chf|payments received|creditos`,
  sign: `soll haben kz|cdtdbtind|creditdebitindicator|debit or credit|transaction direction|direction|richtung|sentido|verso|retning|riktning`,
  currency: `buchungswahrung|monn|whg|wahrg|waehrg|curr|transaction currency|account currency|valuutta|waluta|mena|penznem|devizanem|valutakod|valutakode|code devise|moneta|wkz umsatz`,
  value_date: `datum verrekening|date valuta|valutadag|data di valuta|valeur|data waluty|datum valuty|erteknap|arvopaiva|vardedag|rentedato|valuteringsdag|val date`,
  booked_date: `datum verrichting|document date|invoice date|fakturadatum|factuurdatum|data fattura|data documento|fecha factura|fecha documento|date facture|date piece
    |date de facture|date de piece|rechnungsdatum|transaktionsdatum|transaktionsdag|date de transaction|bokforingsdag|bokforingsdatum|bokforingsdato
    |bogforingsdato|dato|bokfort dato|posteringsdato|data ksiegowania|data operacji|datum zauctovani|datum provedeni|konyveles datuma|kirjauspaiva
    |paivamaara|date ecriture|fecha movimiento|fecha asiento|data do movimento|data lancamento|datum transactie|journal date|gl date|payment date
    |processed date|effective date|date time|datetime|finished on|created on|created at|dokumentdato|fakturadato|dokumentdatum|data dokumentu|data do documento|documentdatum|data faktury|datum dokladu`,
  reference: `num|rechnungs nr|rechnungs nummer|beleg nr|invoice id|rechnungsnr|belegnr|belegfeld 1|factura|numero factura|num factura|facture|numero facture|piece|numero piece|fattura|numero fattura
    |factuur|factuurnummer|factuurnr|boekstuknummer|boekstuk|fatura|numero fatura|faktura|fakturanr|fakturanummer|bilag|bilagsnr|bilagsnummer|verifikationsnummer|verifikationsnr
    |ocr|ocr nummer|kid|numer faktury|cislo faktury|variabilni symbol|szamlaszam|laskun numero|viite|viitenumero|tositenumero|client reference|our reference
    |source reference|cheque|check|referencia 1|referencia cliente|numero documento|dokumentnummer|documentnummer|numer dokumentu|numero document|nummer`,
  counterparty: `auftraggeber empfanger|auftraggeber empfaenger|empfanger auftraggeber|empfaenger auftraggeber|partner name|kunde|kundenname|lieferant|debitor|kreditor
    |zahlungspartner|client|nom client|fournisseur|nom tiers|debiteur|crediteur|donneur ordre|cliente|proveedor|nombre cliente|nombre beneficiario|fornitore
    |cliente fornitore|nominativo|nome|nome cliente|fornecedor|klant|klantnaam|leverancier|relatie|begunstigde|opdrachtgever|mottaker|mottagare|avsandare
    |modtager|afsender|kund|navn|namn|leverantor|saaja|maksaja|saaja maksaja|nimi|kontrahent|nadawca odbiorca|odbiorca|nazwa kontrahenta|nazev protiuctu
    |protistrana|partner neve|counter party|contact|contact name|other party|recipient|recipient name|sender|sender name|target name|paid to|payee name|company|ordenante beneficiario
    |beneficiario ordinante|ordinante beneficiario|payer payee|tegenpartij naam|navn pa modpart`,
  description: `texte|detail|booking text|posting text|line description|message|nachricht|mitteilung|zahlungsgrund|umsatztext|bemerkung|bemerkungen|notiz|kommentar
    |zweck|motif|objet|remarque|commentaire|libelle ecriture|movimiento|detalle|motivo|glosa|dettagli|descrizione operazione|oggetto|historico|descritivo
    |boekingsomschrijving|toelichting|beskrivning|beskrivelse|tekst|meddelande|melding|besked|transaktionstext|forklaring|viesti|selitys|kuvaus|tytul|tytul operacji
    |opis|opis operacji|popis|zprava|zprava pro prijemce|kozlemeny|megjegyzes|leiras|narration|reason|purpose|payment purpose|subject|comment|comments|remarks
    |further information|extended details|vwz1|vwz 1|verwendungszweck 1|transaction text|text 1`,
  external_id: `numer ksiegowania|posting id|posting number|journal number|journal id|entry number|document id|buchungsnummer|buchungs id|buchungsnr|buchung id|numero ecriture|ecriture num
    |id transaction|id operation|numero transaction|identifiant transaction|identifiant operation|id transaccion|id operacion|id asiento|numero asiento|asiento
    |id transazione|id operazione|numero registrazione|id registrazione|id movimento|id transacao|id lancamento|numero lancamento|transactie id|transactienummer
    |boekingsnummer|boekingsnr|boeking id|boekings id|transaktionsid|transaksjonsid|posteringsid|posterings id|bokforings id|id transakcji|numer transakcji|id ksiegowania|id pohybu|id transakce
    |tranzakcio azonosito|konyvelesi azonosito|arkistointitunnus|id contable|id comptable|id contabile`,
};
