import { alwaysDeny, type Authorizer, type TokenAuthenticator } from '../../security/index.js';
import { Access } from '../access/access.js';
import { Authorization } from '../access/authorization.js';
import { ownersAuthorizer } from '../access/owners-authorizer.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import { Authentication } from '../authentication/authentication.js';
import type { Certificates } from '../authentication/certificates.js';
import type { ServerSnapshot } from '../storage/server-snapshot.js';
import type { ServerParts } from './server-parts.js';
import { reloadMeter } from './reload-meter.js';

/** Authorization, with explanations and recordings of access. */
export interface Authorizing {
  readonly authorization: Authorization | undefined;
  readonly authorizer: Authorizer;
  readonly access: Access;
}

/** Assembles the authorizer of the options, or the modes of authorization that they name. */
export function assembleAuthorization(
  options: ApiServerOptions,
  parts: ServerParts,
  origin: ServerSnapshot | undefined,
): Authorizing {
  const { authorization: choice = { modes: ['RBAC'] } } = options;
  const given = 'authorizer' in choice ? choice.authorizer : undefined;
  const authorization =
    'authorizer' in choice
      ? undefined
      : new Authorization(choice, {
          ...parts,
          hasDefaultPolicy: origin?.hasDefaultPolicy === true,
          reloadMetrics: reloadMeter(parts, 'apiserver_authorization_config_controller'),
        });
  const authorizer = (given && ownersAuthorizer(given)) ?? authorization?.authorize ?? alwaysDeny;
  const access = new Access({
    authorize: authorizer,
    authorizers: () => authorization?.authorizers ?? [{ name: 'authorizer', authorize: authorizer }],
    rbac: authorization?.rbac,
    catalogue: parts.catalogue,
  });
  return { authorization, authorizer, access };
}

/** Assembles the authenticators. */
export function assembleAuthentication(
  options: ApiServerOptions,
  parts: ServerParts,
  made: {
    readonly authorization: Authorization | undefined;
    readonly certificates: Certificates;
    /** Authenticates the owners of other servers of the storage. */
    readonly owners: TokenAuthenticator;
    readonly isOwnerRevoked: () => boolean | Promise<boolean>;
  },
): Authentication {
  const { authorization, certificates, owners, isOwnerRevoked } = made;
  return new Authentication(options.authentication ?? {}, {
    ...parts,
    httpClient: options.network?.httpClient,
    reloadMetrics: reloadMeter(parts, 'apiserver_authentication_config_controller'),
    generatedAuthority: certificates.generated,
    otherOwners: parts.storage.isShared === true ? owners : undefined,
    isOwnerRevoked,
    anonymousByDefault: () => authorization?.anonymousByDefault ?? true,
    find: (definition, namespace, name) => parts.catalogue.find(definition, namespace, name),
  });
}
