import type { Attributes, Authorizer } from '../../../src/security/authz/index.js';
import type { AdmissionPlugin } from '../../../src/entries/index.js';
import type { AdmissionAttributes } from '../../../src/registry/verbs/admission.js';

/** A question to an authorizer; the user appears by name. Other tests cover selectors. */
export type Question = Omit<Attributes, 'user' | 'labelSelector' | 'fieldSelector'> & { readonly user: string };

/** A call to an admission stage; kinds appear as `group/version/plural`. */
export interface Admission {
  readonly stage: 'mutate' | 'validate';
  readonly operation: AdmissionAttributes['operation'];
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly user: string;
  /** Which objects were present: the new one, the old one, or both. */
  readonly objects: 'new' | 'old' | 'both' | 'none';
}

/** Records every question to the authorizer and every call of the admission chain. */
export class Ledger {
  questions: Question[] = [];
  admissions: Admission[] = [];
  /** Decides which users are denied everything; the default allows everything. */
  allows: (question: Question) => boolean = () => true;

  readonly authorizer: Authorizer = (attributes) => {
    const { user, verb, isResource, namespace, apiGroup, apiVersion, resource, subresource, name, path } = attributes;
    const question = {
      user: user.username,
      verb,
      isResource,
      namespace,
      apiGroup,
      apiVersion,
      resource,
      subresource,
      name,
      path,
    };
    this.questions.push(question);
    return { decision: this.allows(question) ? 'Allow' : 'NoOpinion', reason: '' };
  };

  readonly plugin: AdmissionPlugin = {
    name: 'Ledger',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    mutate: (attributes) => void this.admissions.push(admissionOf('mutate', attributes)),
    validate: (attributes) => void this.admissions.push(admissionOf('validate', attributes)),
  };

  /** Starts a new page. */
  clear(): void {
    this.questions = [];
    this.admissions = [];
    this.allows = () => true;
  }
}

function admissionOf(
  stage: Admission['stage'],
  { operation, info, subresource, namespace, name, dryRun, user, object, oldObject }: AdmissionAttributes,
): Admission {
  const objects =
    object === undefined ? (oldObject === undefined ? 'none' : 'old') : oldObject === undefined ? 'new' : 'both';
  return {
    stage,
    operation,
    resource: `${info.group}/${info.version}/${info.resource}`,
    subresource,
    namespace,
    name,
    dryRun,
    user: user.username,
    objects,
  };
}
