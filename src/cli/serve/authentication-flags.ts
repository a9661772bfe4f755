import { tokenReviewVersions, type TokenReviewVersion } from '../../authn/index.js';
import type { FlagValues } from '../flags/flag.js';
import { bool, duration, ifGiven, list, oneOf, repeated, text } from '../flags/kinds.js';

/** The versions of TokenReview by name. */
const reviewVersions: ReadonlyMap<string, TokenReviewVersion> = new Map(
  tokenReviewVersions.map((version) => [version, version]),
);

/** The flags by which `serve` is told how it finds out who asks (conventions.md, "Authentication"). */
export const authenticationFlags = {
  'token-auth-file': text('FILE', '', 'Users by bearer token: lines of token,user,uid,"group1,group2".'),
  'anonymous-auth': ifGiven(
    bool(true, 'Lets requests without credentials in as system:anonymous, who may ask for health and version.'),
  ),
  'client-ca-file': text(
    'FILE',
    '',
    'Authorities (PEM) of client certificates: the common name is the user, each organization a group. Read again when it changes.',
  ),
  'requestheader-client-ca-file': text(
    'FILE',
    '',
    'Authorities (PEM) of the certificate of a proxy in front, whose headers say who asks. Read again when it changes.',
  ),
  'requestheader-allowed-names': list(
    'NAMES',
    [],
    'Common names that the certificate of the proxy may have; empty for any.',
  ),
  'requestheader-username-headers': list(
    'NAMES',
    ['X-Remote-User'],
    'Headers in which the proxy names the user; the first that has a value holds.',
  ),
  'requestheader-group-headers': list('NAMES', ['X-Remote-Group'], 'Headers in which the proxy names the groups.'),
  'requestheader-extra-headers-prefix': list(
    'PREFIXES',
    ['X-Remote-Extra-'],
    'What the headers begin with in which the proxy says more of the user.',
  ),
  'service-account-issuer': repeated(
    'ISSUER',
    'Who service account tokens are by; may be given again: the first is written into tokens, all are accepted. Default: by the dialect.',
  ),
  'service-account-signing-key-file': text(
    'FILE',
    '',
    'The key (PEM, RSA or ECDSA) that signs service account tokens. Without it the server makes one.',
  ),
  'service-account-key-file': repeated(
    'FILE',
    'Keys (PEM, public or private, or certificates) that service account tokens are checked with besides; may be given again. Without any key the one of --tls-private-key-file signs and checks, if that is given.',
  ),
  'service-account-lookup': bool(
    true,
    'Refuses tokens that are kept in Secrets once the Secret or the account is gone; for the others that is always so.',
  ),
  'service-account-max-token-expiration': duration(
    '0s',
    'The longest time that a service account token is made for, at least one hour; 0 for what is asked.',
  ),
  'service-account-extend-token-expiration': bool(true, 'Lets tokens that pods are given without asking last a year.'),
  'service-account-jwks-uri': text(
    'URL',
    '',
    'Where others find the keys of service account tokens, if not below the issuer.',
  ),
  'api-audiences': list(
    'AUDIENCES',
    [],
    'Whom tokens must be for that the server takes. Default: the issuers of service account tokens.',
  ),
  'enable-bootstrap-token-auth': bool(
    false,
    'Takes the bootstrap tokens that are kept in Secrets of the system namespace.',
  ),
  'oidc-issuer-url': ifGiven(
    text('URL', '', 'The OpenID provider (https) whose ID tokens are taken; with --oidc-client-id.'),
  ),
  'oidc-client-id': ifGiven(text('ID', '', 'The client that ID tokens must be for.')),
  'oidc-ca-file': ifGiven(
    text('FILE', '', 'Authorities (PEM) of the certificate of the provider. Default: those of the host.'),
  ),
  'oidc-username-claim': ifGiven(text('CLAIM', 'sub', 'The claim that is the user name.')),
  'oidc-username-prefix': ifGiven(
    text(
      'PREFIX',
      '',
      'What user names begin with; - for nothing. Default: the issuer and #, but nothing for the claim email.',
    ),
  ),
  'oidc-groups-claim': ifGiven(text('CLAIM', '', 'The claim that has the groups.')),
  'oidc-groups-prefix': ifGiven(text('PREFIX', '', 'What group names begin with.')),
  'oidc-required-claim': ifGiven(repeated('CLAIM=VALUE', 'A claim that must have this value; may be given again.')),
  'oidc-signing-algs': ifGiven(list('ALGORITHMS', ['RS256'], 'Algorithms of signatures that are taken.')),
  'authentication-config': text(
    'FILE',
    '',
    'An AuthenticationConfiguration: providers of JSON Web Tokens, and where anonymous requests are let in. Not together with the flags of OpenID Connect. Read again when it changes.',
  ),
  'authentication-token-webhook-config-file': text(
    'FILE',
    '',
    'A kubeconfig that says which service is asked whose token it is.',
  ),
  'authentication-token-webhook-cache-ttl': duration('2m0s', 'How long an answer of that service counts.'),
  'authentication-token-webhook-version': oneOf<TokenReviewVersion>(
    'VERSION',
    reviewVersions,
    'v1beta1',
    'v1beta1',
    'The version of TokenReview that the service is sent, v1 or v1beta1.',
  ),
};

/** What the flags came to. */
export type AuthenticationValues = FlagValues<typeof authenticationFlags>;
