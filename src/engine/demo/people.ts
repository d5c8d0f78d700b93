/** Maya Lindqvist and the people she writes with. None of them exists; every domain is reserved for examples. */
export const MAYA = 'maya'
/** Whose mailbox it is. */
export const OWN_ADDRESS = 'maya@lindqvist.example'

const PEOPLE: Readonly<Record<string, string>> = {
  maya: 'Maya Lindqvist <maya@lindqvist.example>',
  // Norrsken Studio, architects in Gothenburg
  idris: 'Idris Bekele <idris@norrsken-studio.example>',
  petra: 'Petra Holm <petra@norrsken-studio.example>',
  wilma: 'Wilma Sand <wilma@norrsken-studio.example>',
  studio: 'Norrsken Studio <all@norrsken-studio.example>',
  // Atlas House
  agneta: 'Agneta Forsell <agneta.forsell@atlas-house.example>',
  ruben: 'Ruben Achterberg <ruben@achterberg-timber.example>',
  jochen: 'Jochen Wiedemann <j.wiedemann@statik-wiedemann.example>',
  // family and friends
  elin: 'Elin Lindqvist <elin@lindqvist.example>',
  karin: 'Karin Lindqvist <karin.lindqvist@brevlada.example>',
  olof: 'Olof Lindqvist <olof.lindqvist@brevlada.example>',
  jonas: 'Jonas Ekdahl <jonas@ekdahl.example>',
  bea: 'Bea Castellano <bea@castellano.example>',
  // abroad
  helene: 'Hélène Marchetti <helene.marchetti@atelier-marchetti.example>',
  tomas: 'Tomás Arrieta <tomas@arrieta-cartografia.example>',
  haruka: '水瀬 遥 <haruka@minase-design.example>',
  yuzhen: '林玉珍 <lin.yuzhen@xiandai-paper.example>',
  layla: 'ليلى حداد <layla@haddad-press.example>',
  noam: 'נועם בלר <noam@beller-maps.example>',
  anjali: 'अंजलि देशमुख <anjali@deshmukh.example>',
  dina: 'Дина Орлова <dina@orlova-archive.example>',
  shirin: 'شیرین نوابی <shirin@navabi.example>',
  // the rest of the world
  school: 'Björkskolan <kansli@bjorkskolan.example>',
  dentist: 'Tandläkarna vid Ån <bokning@tandlakarna-an.example>',
  bank: 'Havsbanken <no-reply@havsbanken.example>',
  power: 'Kustkraft <kundservice@kustkraft.example>',
  air: 'Tern Airways <bookings@tern-airways.example>',
  rail: 'Nordbanan <biljett@nordbanan.example>',
  hotel: 'Pensione Violetta <reception@pensione-violetta.example>',
  shop: 'Lumen & Oak <orders@lumen-and-oak.example>',
  grocer: 'Korg <kvitto@korg.example>',
  matinee: 'Matinee <billing@matinee.example>',
  loftbox: 'Loftbox <receipts@loftbox.example>',
  library: 'Stadsbiblioteket <lan@stadsbiblioteket.example>',
  list: 'Paper Maps <paper-maps@lists.cartography.example>',
  postmaster: 'Mail Delivery System <mailer-daemon@mail.lindqvist.example>',
}

/** The address of a person by name; what is no name of ours is an address already. */
export function addressOf(person: string): string {
  return PEOPLE[person] ?? person
}

export function domainOf(address: string): string {
  return /@([^\s>@]+)>?$/.exec(address)?.[1] ?? 'lindqvist.example'
}
