import type { ServiceAccountTokenIssuer } from '../../authn/index.js';
import { errors } from '../../meta/api-error.js';
import { invalid } from '../../meta/field-error.js';
import type { ApiObject } from '../../meta/object.js';
import { formatTime } from '../../meta/time.js';
import type { Perform } from '../../registry/perform.js';
import type { TokenRequestFields } from '../../resources/index.js';

/**
 * Answers a TokenRequest with a token of the account whose subresource it is posted to (identity-resources.md, "TokenRequest").
 *
 * @param issuer asked for at each request
 */
export function tokenRequestPerformer(issuer: () => Promise<ServiceAccountTokenIssuer>): Perform {
  return async (object, { context, namespace, name, admit }) => {
    const { spec = {} } = object as ApiObject & TokenRequestFields;
    const given = object.metadata.name ?? '';
    if (given !== '' && given !== name) {
      const group = `authentication.${context.dialect.groupSuffix}`;
      throw errors.invalid({ group, kind: 'TokenRequest' }, name, [
        invalid('metadata.name', given, 'must match the service account name if specified'),
      ]);
    }
    const { issue } = await issuer();
    const issued = await issue({ namespace, name, spec, warn: context.warn, admit });
    return {
      kind: object.kind,
      apiVersion: object.apiVersion,
      metadata: { ...object.metadata, name, namespace, creationTimestamp: formatTime(context.clock.now()) },
      spec: { ...issued.spec },
      status: { ...issued.status },
    };
  };
}
