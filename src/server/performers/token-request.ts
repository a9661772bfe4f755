import { errors, formatTime, invalid, type ApiObject } from '../../foundation/index.js';
import type { TokenRequestFields } from '../../kinds/index.js';
import type { Perform } from '../../registry/index.js';
import type { ServiceAccountTokenIssuer } from '../../security/index.js';

/**
 * Creates the operation of TokenRequest: issues a token of the service account that it is posted to
 * (identity-resources.md, "TokenRequest").
 *
 * @param issuer returns the token issuer; called for each request
 */
export function tokenRequestPerformer(issuer: () => Promise<ServiceAccountTokenIssuer>): Perform {
  return async (object, { context, namespace, name, admit }) => {
    const { spec: { audiences, ...rest } = {} } = object as ApiObject & TokenRequestFields;
    const spec = { ...rest, audiences: audiences ?? undefined };
    const requested = object.metadata.name ?? '';
    if (requested !== '' && requested !== name) {
      const group = `authentication.${context.dialect.groupSuffix}`;
      throw errors.invalid({ group, kind: 'TokenRequest' }, name, [
        invalid('metadata.name', requested, 'must match the service account name if specified'),
      ]);
    }
    const { issue } = await issuer();
    const issued = await issue({ namespace, name, spec, warn: context.warn, admit });
    context.annotate?.(`authentication.${context.dialect.labelDomain}/issued-credential-id`, issued.credentialId);
    return {
      kind: object.kind,
      apiVersion: object.apiVersion,
      metadata: { ...object.metadata, name, namespace, creationTimestamp: formatTime(context.clock.now()) },
      spec: { ...issued.spec },
      status: { ...issued.status },
    };
  };
}
