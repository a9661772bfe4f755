import type { AnyKind, Call, CallParameters, CallVerb, ClientBackend } from '../backend.js';
import type { ResolvedClientOptions } from '../client.js';

/** The objects that a client is for, and its way to them. */
export interface ClientScope {
  readonly backend: ClientBackend;
  readonly kind: AnyKind;
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly client: ResolvedClientOptions;
}

/** The parameters of a call without any. */
export const NO_PARAMETERS: CallParameters = Object.freeze({});

/** A call that a client is making. All of them have one shape. */
export class OutgoingCall implements Call {
  readonly verb: CallVerb;
  readonly kind: AnyKind;
  namespace: string;
  readonly name: string;
  subresource = '';
  operation: Call['operation'] = undefined;
  form: Call['form'] = 'whole';
  patchType = '';
  body: unknown = undefined;
  readonly parameters: CallParameters;
  readonly client: ResolvedClientOptions;

  constructor({ kind, namespace, client }: ClientScope, verb: CallVerb, name: string, parameters: CallParameters) {
    this.verb = verb;
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
    this.parameters = parameters;
    this.client = client;
  }
}
