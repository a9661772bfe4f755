import type { Api } from './api.js';
import { isMap } from './guards.js';
import type { PageKind } from './kinds.js';

/** Something that the user would do to an object. */
export interface OwnAccess {
  readonly verb: 'create' | 'patch' | 'update';
  readonly kind: PageKind;
  readonly namespace: string | undefined;
  /** Empty for a new object. */
  readonly name: string;
}

/** Asks the server whether the user may do something; not when it does not say. */
export async function mayI(api: Api, { verb, kind, namespace, name }: OwnAccess): Promise<boolean> {
  const group = `authorization.${api.suffix}`;
  const resourceAttributes = { verb, group: kind.group, resource: kind.plural, namespace, name };
  const review = { apiVersion: `${group}/v1`, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
  const answer = await api
    .post<unknown>(`apis/${group}/v1/selfsubjectaccessreviews`, review)
    .catch((): undefined => undefined);
  const status = isMap(answer) ? answer['status'] : undefined;
  return isMap(status) && status['allowed'] === true;
}
