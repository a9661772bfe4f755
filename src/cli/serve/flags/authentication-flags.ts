import { reviewVersions, type ReviewVersion } from '../../../foundation/index.js';
import type { FlagValues } from '../../flags/flag.js';
import { bool, duration, ifGiven, list, oneOf, repeated, text } from '../../flags/kinds.js';
import { topic } from '../../flags/topic.js';

/** The versions of TokenReview by name. */
const versionsByName: ReadonlyMap<string, ReviewVersion> = new Map(reviewVersions.map((version) => [version, version]));

/** The authentication flags of `serve` (conventions.md, "Authentication"). */
export const authenticationFlags = {
  ...topic('Authentication', {
    'token-auth-file': text(
      'FILE',
      '',
      'File of static bearer tokens, one user per line: token,user,uid,"group1,group2".',
    ),
    'anonymous-auth': ifGiven(
      bool(true, 'Accepts requests without credentials as the user system:anonymous, who may read health and version.'),
    ),
    'client-ca-file': text(
      'FILE',
      '',
      'Certificate authorities (PEM) for client certificates: the common name is the user, each organization a group. Reloaded when the file changes.',
    ),
    'requestheader-client-ca-file': text(
      'FILE',
      '',
      'Certificate authorities (PEM) for the client certificate of an authenticating proxy, whose headers identify the user. Reloaded when the file changes.',
    ),
    'requestheader-allowed-names': list(
      'NAMES',
      [],
      'Common names allowed in the client certificate of the proxy; empty allows any.',
    ),
    'requestheader-username-headers': list(
      'NAMES',
      ['X-Remote-User'],
      'Headers that contain the user name; the first one with a value is used.',
    ),
    'requestheader-group-headers': list('NAMES', ['X-Remote-Group'], 'Headers that contain the groups of the user.'),
    'requestheader-extra-headers-prefix': list(
      'PREFIXES',
      ['X-Remote-Extra-'],
      'Prefixes of the headers that contain extra information about the user.',
    ),
    'enable-bootstrap-token-auth': bool(false, 'Accepts bootstrap tokens stored in Secrets of the system namespace.'),
    'authentication-config': text(
      'FILE',
      '',
      'AuthenticationConfiguration file: issuers of JSON Web Tokens, and the paths open to anonymous requests. Excludes the OpenID Connect flags. Reloaded when the file changes.',
    ),
    'authentication-token-webhook-config-file': text(
      'FILE',
      '',
      'Kubeconfig of the webhook that authenticates bearer tokens.',
    ),
    'authentication-token-webhook-cache-ttl': duration('2m0s', 'How long responses of the token webhook are cached.'),
    'authentication-token-webhook-version': oneOf<ReviewVersion>(
      'VERSION',
      versionsByName,
      'v1beta1',
      'v1beta1',
      'Version of TokenReview sent to the token webhook: v1 or v1beta1.',
    ),
  }),
  ...topic('Service accounts', {
    'service-account-issuer': repeated(
      'ISSUER',
      'Issuer of service account tokens. Repeatable: the first issuer is written into tokens, all are accepted. Default: set by the dialect.',
    ),
    'service-account-signing-key-file': text(
      'FILE',
      '',
      'Private key (PEM, RSA or ECDSA) that signs service account tokens. Default: the server generates a key.',
    ),
    'service-account-signing-key-lifetime': duration(
      '0s',
      'Time for which a key signs service account tokens that the server generated, at least 24h; then the servers of the store exchange it. 0 for no limit.',
    ),
    'service-account-key-file': repeated(
      'FILE',
      'Additional keys (PEM: public keys, private keys or certificates) that verify service account tokens. Repeatable. If no key is given, the key of --tls-private-key-file, if any, signs and verifies.',
    ),
    'service-account-lookup': bool(
      true,
      'Rejects tokens stored in Secrets after the Secret or the service account is deleted. Other tokens are always checked.',
    ),
    'service-account-max-token-expiration': duration(
      '0s',
      'Maximum lifetime of service account tokens, at least one hour; 0 for the requested lifetime.',
    ),
    'service-account-extend-token-expiration': bool(
      true,
      'Extends tokens that are injected into pods to a lifetime of one year.',
    ),
    'service-account-jwks-uri': text(
      'URL',
      '',
      'URL of the key set (JWKS) for service account tokens. Default: below the issuer URL.',
    ),
    'api-audiences': list(
      'AUDIENCES',
      [],
      'Audiences of the server: an accepted token must be issued for one of them. Default: the issuers of service account tokens.',
    ),
  }),
  ...topic('OpenID Connect', {
    'oidc-issuer-url': ifGiven(
      text('URL', '', 'URL (https) of the OpenID provider whose ID tokens are accepted. Requires --oidc-client-id.'),
    ),
    'oidc-client-id': ifGiven(text('ID', '', 'Client ID that ID tokens must be issued for.')),
    'oidc-ca-file': ifGiven(
      text(
        'FILE',
        '',
        'Certificate authorities (PEM) for the certificate of the provider. Default: those of the host.',
      ),
    ),
    'oidc-username-claim': ifGiven(text('CLAIM', 'sub', 'Claim that contains the user name.')),
    'oidc-username-prefix': ifGiven(
      text(
        'PREFIX',
        '',
        'Prefix of user names; - for none. Default: the issuer URL and #, or none for the claim email.',
      ),
    ),
    'oidc-groups-claim': ifGiven(text('CLAIM', '', 'Claim that contains the groups.')),
    'oidc-groups-prefix': ifGiven(text('PREFIX', '', 'Prefix of group names.')),
    'oidc-required-claim': ifGiven(repeated('CLAIM=VALUE', 'Claim that must have the given value. Repeatable.')),
    'oidc-signing-algs': ifGiven(list('ALGORITHMS', ['RS256'], 'Accepted signature algorithms.')),
    'ui-oidc-client-secret-file': text(
      'FILE',
      '',
      'File with the secret of the client, with which people sign in to the page by the provider. Default: the client is public.',
    ),
    'ui-oidc-scopes': list(
      'SCOPES',
      ['profile', 'email'],
      'Scopes that the page asks the provider for, besides openid.',
    ),
  }),
};

/** Parsed values of the authentication flags. */
export type AuthenticationValues = FlagValues<typeof authenticationFlags>;
