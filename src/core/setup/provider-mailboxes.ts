/** Providers that people all over the world have their addresses at. */
import { type MailProvider, provider, starttls } from './provider.ts'

const YAHOO =
  'yahoo.com yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.se yahoo.ca yahoo.ie yahoo.in yahoo.co.uk yahoo.co.in'
const YAHOO_MORE =
  'yahoo.co.nz yahoo.co.id yahoo.com.au yahoo.com.ar yahoo.com.br yahoo.com.mx yahoo.com.sg ymail.com rocketmail.com myyahoo.com'
const MICROSOFT =
  'outlook.com outlook.de outlook.fr outlook.it outlook.es outlook.jp outlook.at outlook.be outlook.co.id'
const MICROSOFT_MORE =
  'outlook.com.au outlook.com.br hotmail.com hotmail.de hotmail.fr hotmail.it hotmail.es hotmail.co.uk live.com live.de live.fr live.co.uk live.nl msn.com'

export const MAILBOXES: readonly MailProvider[] = [
  provider({
    id: 'gmail',
    name: 'Gmail',
    domains: ['gmail.com', 'googlemail.com'],
    mx: ['google.com', 'googlemail.com'],
    kind: 'google',
    imap: 'imap.gmail.com',
    smtp: 'smtp.gmail.com',
    ways: ['app_password', 'oauth'],
    help: [
      'Gmail takes no ordinary password here. Turn on 2-Step Verification, then make an app password at',
      'https://myaccount.google.com/apppasswords (16 letters; the blanks do not matter).',
    ],
  }),
  provider({
    id: 'microsoft',
    name: 'Outlook.com or Microsoft 365',
    domains: `${MICROSOFT} ${MICROSOFT_MORE}`.split(' '),
    mx: ['mail.protection.outlook.com', 'mx.microsoft'],
    kind: 'microsoft',
    imap: 'outlook.office365.com',
    smtp: starttls('smtp.office365.com'),
    ways: ['oauth'],
    help: [
      'Microsoft takes no passwords here: access is granted in the browser, to an app that you register yourself.',
    ],
  }),
  provider({
    id: 'icloud',
    name: 'iCloud Mail',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mx: ['mail.icloud.com'],
    imap: 'imap.mail.me.com',
    smtp: starttls('smtp.mail.me.com'),
    login: 'local_part',
    ways: ['app_password'],
    help: [
      'Apple takes no ordinary password here. Make an app-specific password at https://account.apple.com',
      'under "Sign-In and Security".',
    ],
  }),
  provider({
    id: 'yahoo',
    name: 'Yahoo Mail',
    domains: `${YAHOO} ${YAHOO_MORE}`.split(' '),
    imap: 'imap.mail.yahoo.com',
    smtp: 'smtp.mail.yahoo.com',
    ways: ['app_password'],
    help: ['Yahoo takes no ordinary password here. Make an app password at https://login.yahoo.com/account/security'],
  }),
  provider({
    id: 'aol',
    name: 'AOL Mail',
    domains: ['aol.com', 'aol.de', 'aol.fr', 'aol.co.uk', 'aim.com'],
    imap: 'imap.aol.com',
    smtp: 'smtp.aol.com',
    ways: ['app_password'],
    help: ['AOL takes no ordinary password here. Make an app password at https://login.aol.com/account/security'],
  }),
  provider({
    id: 'fastmail',
    name: 'Fastmail',
    domains: [
      'fastmail.com',
      'fastmail.fm',
      'fastmail.net',
      'fastmail.org',
      'fastmail.de',
      'fastmail.co.uk',
      'sent.com',
    ],
    mx: ['messagingengine.com'],
    imap: 'imap.fastmail.com',
    smtp: 'smtp.fastmail.com',
    ways: ['app_password'],
    help: ['Make an app password in Fastmail under Settings, "Privacy & Security", "Manage app passwords and access".'],
  }),
  provider({
    id: 'proton',
    name: 'Proton Mail',
    domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
    mx: ['protonmail.ch'],
    // The bridge listens on this machine only, with a certificate that nobody else could know.
    imap: { host: '127.0.0.1', port: 1143, tls: 'none' },
    smtp: { host: '127.0.0.1', port: 1025, tls: 'none' },
    ways: ['app_password'],
    help: [
      'Proton needs its Bridge running on this machine: https://proton.me/mail/bridge (a paid plan).',
      'The password is the one that Bridge shows under "Mailbox details", not that of your Proton account.',
    ],
    bridge: true,
  }),
  provider({
    id: 'zoho',
    name: 'Zoho Mail',
    domains: ['zoho.com', 'zohomail.com'],
    mx: ['zoho.com'],
    imap: 'imap.zoho.com',
    smtp: 'smtp.zoho.com',
    ways: ['app_password'],
    help: [
      'Allow IMAP in Zoho Mail under Settings, Mail Accounts. With two-factor sign-in make an app password at',
      'https://accounts.zoho.com/home#security/app_password',
    ],
  }),
  provider({
    id: 'zoho-eu',
    name: 'Zoho Mail (Europe)',
    domains: ['zoho.eu', 'zohomail.eu'],
    mx: ['zoho.eu'],
    imap: 'imap.zoho.eu',
    smtp: 'smtp.zoho.eu',
    ways: ['app_password'],
    help: [
      'Allow IMAP in Zoho Mail under Settings, Mail Accounts. With two-factor sign-in make an app password at',
      'https://accounts.zoho.eu/home#security/app_password',
    ],
  }),
  provider({
    id: 'mailfence',
    name: 'Mailfence',
    domains: ['mailfence.com'],
    mx: ['mailfence.com'],
    imap: 'imap.mailfence.com',
    smtp: 'smtp.mailfence.com',
    help: ['IMAP is part of the paid plans.'],
  }),
  provider({
    id: 'runbox',
    name: 'Runbox',
    domains: ['runbox.com'],
    mx: ['runbox.com'],
    imap: 'mail.runbox.com',
    smtp: 'mail.runbox.com',
    help: ['With two-factor sign-in make an app password in Runbox under Account Security.'],
  }),
]
