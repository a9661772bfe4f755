import { shareTurn } from '../../foundation/index.js';
import { MASTERS_GROUP, ruleAllows, userOf, type RuleAttributes } from '../../security/index.js';
import { bodyOf, jsonAnswer, textsIn, type PageEndpoint } from './call.js';
import { accessIn } from './explain.js';
import type { ExplainedAccess } from './page-parts.js';
import { mayDo, mayUse } from './rights.js';

/** The most subjects of an answer. */
const MOST_SUBJECTS = 1000;
/** The most users and verbs of a matrix. */
const MOST_USERS = 50;
const MOST_VERBS = 20;
/** A user or group that may do something, and by which rule. */
interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly binding: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly role: string;
  /** Index of the rule in its role. */
  readonly rule: number;
}

/** `POST /ui/v1/who-can`: the subjects of bindings whose roles allow something. */
export const whoCan: PageEndpoint = {
  method: 'POST',
  async answer(call) {
    const access = accessIn(await bodyOf(call));
    const wanted = attributesIn(access);
    const subjects: Subject[] = [];
    let isComplete = true;
    for (const binding of (await call.parts.policy())?.bindings() ?? []) {
      // A role may have thousands of rules.
      await shareTurn();
      if (binding.namespace !== '' && binding.namespace !== access.namespace) continue;
      const rule = binding.role?.rules?.findIndex((each) => ruleAllows(wanted, each)) ?? -1;
      if (rule < 0) continue;
      for (const { kind, name, namespace } of binding.subjects) {
        isComplete = subjects.length < MOST_SUBJECTS;
        if (!isComplete) break;
        subjects.push({
          ...{ kind, name, namespace },
          binding: { kind: binding.kind, namespace: binding.namespace, name: binding.name },
          ...{ role: binding.roleRef.name, rule },
        });
      }
      if (!isComplete) break;
    }
    return jsonAnswer({ always: [MASTERS_GROUP], subjects, complete: isComplete });
  },
};

/** `POST /ui/v1/access-matrix`: for each of some users, which of some verbs are allowed. */
export const accessMatrix: PageEndpoint = {
  method: 'POST',
  async answer(call) {
    const { authorize } = call.parts;
    const body = await bodyOf(call);
    const users = textsIn(body, 'users', MOST_USERS);
    const verbs = textsIn(body, 'verbs', MOST_VERBS);
    const [verb = 'get'] = verbs;
    const access = accessIn({ ...body, verb });
    const rows: { user: string; allowed: boolean[] }[] = [];
    for (const user of users) {
      const allowed: boolean[] = [];
      for (const each of verbs) {
        const wanted = attributesIn({ ...access, verb: each });
        const { namespace = '' } = access;
        const decide = wanted.isResource
          ? mayDo(authorize, userOf(user), { ...wanted, namespace })
          : mayUse(authorize, userOf(user), each, wanted.path);
        allowed.push(await decide);
        await shareTurn();
      }
      rows.push({ user, allowed });
    }
    return jsonAnswer({ verbs, rows });
  },
};

function attributesIn({ verb, resource, group = '', subresource = '', name = '' }: ExplainedAccess): RuleAttributes {
  const isResource = !resource.startsWith('/');
  return isResource
    ? { verb, isResource, apiGroup: group, resource, subresource, name, path: '' }
    : { verb, isResource, apiGroup: '', resource: '', subresource: '', name: '', path: resource };
}
