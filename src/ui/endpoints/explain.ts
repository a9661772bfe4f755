import { errors, messageOf, shareTurn, type JsonObject } from '../../foundation/index.js';
import { forbiddenError, userOf, attributesOf, type AccessExplanation } from '../../security/index.js';
import { bodyOf, jsonAnswer, neededIn, textIn, textsIn, type PageCall, type PageEndpoint } from './call.js';
import type { ExplainedAccess } from './page-parts.js';
import { mayDo, mayUse } from './rights.js';

/** The path whose right allows explanations of other users, and of bindings that the user may not read. */
const OTHERS = '/ui/v1/explain/others';
/** The most groups of a user in a request. */
const MOST_GROUPS = 100;

/** `POST /ui/v1/explain`: why a user may or may not do something. */
export const explain: PageEndpoint = {
  method: 'POST',
  async answer(call) {
    const { scope, parts } = call;
    const body = await bodyOf(call);
    const access = accessIn(body);
    const username = textIn(body, 'user') ?? '';
    const groups = textsIn(body, 'groups', MOST_GROUPS);
    const isOneself = (username === '' || username === scope.user.username) && groups.length === 0;
    const seesAll = await mayUse(parts.authorize, scope.user, 'post', OTHERS);
    if (!isOneself && !seesAll) throw forbiddenError(attributesOf({ ...scope.info, path: OTHERS }, scope.user));
    const user = isOneself ? scope.user : userOf(username === '' ? scope.user.username : username, groups);
    const explanation = await explained(() => parts.explain(user, access));
    return jsonAnswer(plain(seesAll ? explanation : await readable(call, explanation)));
  },
};

/** Returns what a body asks about. @throws ApiError 400 */
export function accessIn(body: JsonObject): ExplainedAccess {
  return {
    verb: neededIn(body, 'verb'),
    resource: neededIn(body, 'resource'),
    group: textIn(body, 'group'),
    subresource: textIn(body, 'subresource'),
    namespace: textIn(body, 'namespace'),
    name: textIn(body, 'name'),
  };
}

/** @throws ApiError 400 for what the explanation refuses */
async function explained(make: () => Promise<AccessExplanation>): Promise<AccessExplanation> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof TypeError) throw errors.badRequest(messageOf(error));
    throw error;
  }
}

/** Returns an explanation without the bindings that the user may not get. */
async function readable({ scope, parts }: PageCall, explanation: AccessExplanation): Promise<AccessExplanation> {
  type Named = AccessExplanation['tried'][number]['binding'];
  const mayGet = ({ kind, namespace, name, roleRef }: Named): Promise<boolean> =>
    mayDo(parts.authorize, scope.user, {
      ...{ verb: 'get', apiGroup: roleRef.apiGroup, namespace, name },
      resource: kind === 'RoleBinding' ? 'rolebindings' : 'clusterrolebindings',
    });
  const passing = async <Item extends { readonly binding: Named }>(items: readonly Item[]): Promise<Item[]> => {
    const found: Item[] = [];
    for (const item of items) {
      await shareTurn();
      if (await mayGet(item.binding)) found.push(item);
    }
    return found;
  };
  const { allowedBy, ...rest } = explanation;
  return {
    ...rest,
    ...(allowedBy !== undefined && (await mayGet(allowedBy.binding)) ? { allowedBy } : {}),
    tried: await passing(explanation.tried),
    nearestMisses: await passing(explanation.nearestMisses),
  };
}

/** Returns an explanation as JSON: an error of an authorizer is for the log of the server. */
const plain = ({ opinions, ...rest }: AccessExplanation): object => ({
  ...rest,
  opinions: opinions.map(({ name, decision, reason }) => ({ name, decision, reason })),
});
