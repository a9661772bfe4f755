/**
 * A dialect sets the names in the API: every product name and product domain, in one value.
 *
 * No other folder contains these names. `orch` is the dialect of the project's contract; `kubernetes` is the dialect of
 * existing clients; {@link defineDialect} creates others.
 *
 * @module
 */
import { definedOnly } from '../collections/defined-only.js';
import { groupSuffixes } from './groups.js';

/** The well-known namespaces of a server. */
export interface DialectNamespaces {
  /** Namespace of requests without a namespace. It always exists and cannot be deleted. */
  readonly default: string;
  /** Namespace of system objects. */
  readonly system: string;
  /** Namespace that every user may read. */
  readonly public: string;
  /** Namespace of the heartbeat leases of node agents. */
  readonly nodeLease: string;
}

/** The four built-in signers. */
export interface DialectSigners {
  readonly apiServerClient: string;
  readonly apiServerClientNodeAgent: string;
  readonly nodeAgentServing: string;
  readonly legacyUnknown: string;
}

/** The built-in secret types; each requires its own keys. */
export interface DialectSecretTypes {
  readonly serviceAccountToken: string;
  readonly dockercfg: string;
  readonly dockerConfigJson: string;
  readonly basicAuth: string;
  readonly sshAuth: string;
  readonly tls: string;
  readonly bootstrapToken: string;
}

/** The environment of a process in a pod of its server. */
export interface DialectPod {
  /** Environment variable with the server's host. */
  readonly hostVariable: string;
  /** Environment variable with the server's port. */
  readonly portVariable: string;
  /** Folder with the files `token`, `ca.crt` and `namespace`. */
  readonly serviceAccountFolder: string;
}

/** Annotations of an autoscaler of version v1, with the fields that only later versions have, as JSON. */
export interface AutoscalerAnnotations {
  readonly metrics: string;
  readonly currentMetrics: string;
  readonly behavior: string;
  readonly conditions: string;
}

/** Names in OpenAPI documents. */
export interface DialectOpenApi {
  /** Title of the documents. */
  readonly title: string;
  /** Prefix of the component names of built-in kinds: `<api>.core.v1.ConfigMap`. */
  readonly api: string;
  /** Prefix of the component names of the kind that defines kinds: `<apiExtensions>.v1.CustomResourceDefinition`. */
  readonly apiExtensions: string;
  /** Prefix of the component names of the kind that registers servers: `<apiRegistration>.v1.APIService`. */
  readonly apiRegistration: string;
  /** Prefix of the component names of types that all kinds share: `<meta>.v1.ObjectMeta`. */
  readonly meta: string;
  /** Prefix of the component names of types without a version: `<runtime>.RawExtension`. */
  readonly runtime: string;
  /** Prefix of the component name of quantities: `<quantity>.Quantity`. */
  readonly quantity: string;
  /** Prefix of the component name of numbers or strings: `<intOrString>.IntOrString`. */
  readonly intOrString: string;
  /** Prefix of vendor extensions, including the last hyphen. */
  readonly extensionPrefix: `x-${string}`;
}

/** Every identifier that contains a product name. Values are complete strings, never composed at the point of use. */
export interface Dialect {
  /** Name of the dialect, the value of `--dialect`. */
  readonly name: string;
  /** The product name; also the initial finalizer in a namespace's `spec.finalizers`. */
  readonly product: string;
  /** The short product name. */
  readonly shortProduct: string;
  /** Suffix of built-in API groups: `coordination` is served as `coordination.<groupSuffix>`. */
  readonly groupSuffix: string;
  /** Domain of built-in labels, annotations, finalizers and signers. */
  readonly labelDomain: string;
  /** Name of the server program in signer names. */
  readonly apiServerName: string;
  /** Name of the command-line tool and of its field manager. */
  readonly commandLineName: string;
  /** Name of the node agent. */
  readonly nodeAgentName: string;
  /** Name of the program that runs the controllers, and of their field manager. */
  readonly controllerManagerName: string;
  /** Name of the part of the server that passes requests on to the servers of other API groups. */
  readonly aggregatorName: string;
  readonly namespaces: DialectNamespaces;
  readonly signers: DialectSigners;
  /** Signer of the server's own serving certificates. Trust bundles name it; it signs no certificate requests. */
  readonly apiServerServingSigner: string;
  readonly secretTypes: DialectSecretTypes;
  /** Media type of the protobuf encoding. */
  readonly protobufMediaType: string;
  /** First bytes of every protobuf body. */
  readonly protobufMagic: readonly [number, number, number, number];
  /** Private claim of service-account tokens. */
  readonly tokenClaim: string;
  /** Environment variable that passes cluster data to a credential plugin. */
  readonly execInfoVariable: string;
  /** Environment variable that lists the client configuration files. */
  readonly clientConfigVariable: string;
  /** Path of a user's client configuration below the home folder. */
  readonly clientConfigFile: string;
  readonly pod: DialectPod;
  /** Label of every namespace with its own name. */
  readonly namespaceNameLabel: string;
  /** Annotation of the BOOKMARK that ends the initial events of a watch. */
  readonly initialEventsEndAnnotation: string;
  /** WebSocket subprotocol prefix for a bearer token, and the suffix of the stream subprotocols. */
  readonly webSocketBearerPrefix: string;
  /** The client with client-side apply. Its annotation has the last intent, which server-side apply takes over. */
  readonly clientSideApply: { readonly manager: string; readonly annotation: string };
  /** Name of the ConfigMap with the server's certificate authority in every namespace. */
  readonly rootCaConfigMap: string;
  /**
   * The approval that custom kinds need in groups of {@link groupSuffix} and {@link labelDomain}: the annotation with it,
   * and the address of the rules.
   */
  readonly apiApproval: { readonly annotation: string; readonly condition: string; readonly rules: string };
  /** Annotation that describes the purpose of an object. */
  readonly descriptionAnnotation: string;
  /** Labels of the pods of a Job: the name of the Job, and its uid, by which the generated selector selects them. */
  readonly jobLabels: { readonly jobName: string; readonly controllerUid: string };
  readonly autoscalerAnnotations: AutoscalerAnnotations;
  /** The product in a sentence. */
  readonly productTitle: string;
  /** Address of the pages that warnings refer to, without a slash at the end. */
  readonly documentation: string;
  /** Finalizers without a domain that are allowed by name. */
  readonly standardFinalizers: readonly string[];
  readonly openApi: DialectOpenApi;
  /** Response header fields with the uids of the flow schema and the priority level of a request, in lower case. */
  readonly flowHeaders: { readonly flowSchema: string; readonly priorityLevel: string };
  /** Health checks of the store, whichever engine it has: on all endpoints, and on the readiness endpoint only. */
  readonly storeChecks: { readonly store: string; readonly readiness: string };
}

/** Options of {@link defineDialect}; other values are derived and may be overridden. */
export type DialectOptions = {
  readonly [Name in Exclude<keyof Dialect, 'name' | 'product' | 'groupSuffix' | 'labelDomain'>]?:
    Dialect[Name] | undefined;
} & {
  readonly name: string;
  readonly product: string;
  readonly groupSuffix: string;
  readonly labelDomain: string;
};

/**
 * Creates a dialect from a few names.
 *
 * @param options the names, and overrides of derived values
 * @returns a frozen dialect, to be passed to `new ApiServer({ dialect })`
 * @throws TypeError when a name is not a lower-case word, or a domain is not a DNS subdomain
 */
export function defineDialect(options: DialectOptions): Dialect {
  const { name, product, groupSuffix, labelDomain } = options;
  for (const [field, value] of Object.entries({ name, product })) {
    if (!/^[a-z][-a-z0-9]*$/.test(value))
      throw new TypeError(`dialect ${field} must be a lower-case word, got "${value}"`);
  }
  for (const [field, value] of Object.entries({ groupSuffix, labelDomain })) {
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(value)) {
      throw new TypeError(`dialect ${field} must be a DNS subdomain, got "${value}"`);
    }
  }
  const apiServerName = options.apiServerName ?? `${product}-apiserver`;
  const nodeAgentName = options.nodeAgentName ?? `${product}let`;
  const commandLineName = options.commandLineName ?? `${product}ctl`;
  const shortProduct = options.shortProduct ?? product;
  const prefix = product;
  return Object.freeze({
    shortProduct,
    apiServerName,
    nodeAgentName,
    controllerManagerName: `${shortProduct}-controller-manager`,
    aggregatorName: `${shortProduct}-aggregator`,
    commandLineName,
    namespaces: Object.freeze({
      default: 'default',
      system: `${prefix}-system`,
      public: `${prefix}-public`,
      nodeLease: `${prefix}-node-lease`,
    }),
    signers: Object.freeze({
      apiServerClient: `${labelDomain}/${apiServerName}-client`,
      apiServerClientNodeAgent: `${labelDomain}/${apiServerName}-client-${nodeAgentName}`,
      nodeAgentServing: `${labelDomain}/${nodeAgentName}-serving`,
      legacyUnknown: `${labelDomain}/legacy-unknown`,
    }),
    apiServerServingSigner: `${labelDomain}/${apiServerName}-serving`,
    secretTypes: Object.freeze({
      serviceAccountToken: `${labelDomain}/service-account-token`,
      dockercfg: `${labelDomain}/dockercfg`,
      dockerConfigJson: `${labelDomain}/dockerconfigjson`,
      basicAuth: `${labelDomain}/basic-auth`,
      sshAuth: `${labelDomain}/ssh-auth`,
      tls: `${labelDomain}/tls`,
      bootstrapToken: `bootstrap.${labelDomain}/token`,
    }),
    protobufMediaType: `application/vnd.${product}.protobuf`,
    protobufMagic: [0x6b, 0x38, 0x73, 0x00] as const,
    tokenClaim: labelDomain,
    execInfoVariable: `${variablePrefix(product)}_EXEC_INFO`,
    clientConfigVariable: `${variablePrefix(shortProduct)}CONFIG`,
    clientConfigFile: `.${shortProduct}/config`,
    pod: Object.freeze({
      hostVariable: `${variablePrefix(product)}_SERVICE_HOST`,
      portVariable: `${variablePrefix(product)}_SERVICE_PORT`,
      serviceAccountFolder: `/var/run/secrets/${labelDomain}/serviceaccount`,
    }),
    namespaceNameLabel: `${labelDomain}/metadata.name`,
    initialEventsEndAnnotation: `${groupSuffix}/initial-events-end`,
    webSocketBearerPrefix: `base64url.bearer.authorization.${groupSuffix}.`,
    clientSideApply: Object.freeze({
      manager: commandLineName,
      annotation: `${commandLineName}.${labelDomain}/last-applied-configuration`,
    }),
    rootCaConfigMap: `${product}-root-ca.crt`,
    apiApproval: Object.freeze({
      annotation: `api-approved.${labelDomain}`,
      condition: `${capitalized(product)}APIApprovalPolicyConformant`,
      rules: `https://github.com/${product}/enhancements/pull/1111`,
    }),
    descriptionAnnotation: `${labelDomain}/description`,
    jobLabels: Object.freeze({
      jobName: `batch.${labelDomain}/job-name`,
      controllerUid: `batch.${labelDomain}/controller-uid`,
    }),
    autoscalerAnnotations: autoscalerAnnotations(labelDomain),
    productTitle: capitalized(product),
    documentation: `https://${labelDomain}/docs`,
    standardFinalizers: Object.freeze([product, 'orphan', 'foregroundDeletion']),
    openApi: openApiNames(product, shortProduct, groupSuffix),
    storeChecks: Object.freeze({ store: 'storage', readiness: 'storage-readiness' }),
    flowHeaders: Object.freeze({
      flowSchema: `x-${product}-pf-flowschema-uid`,
      priorityLevel: `x-${product}-pf-prioritylevel-uid`,
    }),
    ...definedOnly(options),
  });
}

const autoscalerAnnotations = (labelDomain: string): AutoscalerAnnotations =>
  Object.freeze({
    metrics: `autoscaling.alpha.${labelDomain}/metrics`,
    currentMetrics: `autoscaling.alpha.${labelDomain}/current-metrics`,
    behavior: `autoscaling.alpha.${labelDomain}/behavior`,
    conditions: `autoscaling.alpha.${labelDomain}/conditions`,
  });

const AUTOSCALER_DOMAIN = /^autoscaling\.alpha\.([^/]+)\//;

/** Returns the names of the annotations that an autoscaler of version v1 has, for code that knows no dialect. */
export function autoscalerAnnotationsOf(annotations: Readonly<Record<string, string>>): AutoscalerAnnotations {
  const domains = Object.keys(annotations).map((name) => AUTOSCALER_DOMAIN.exec(name)?.[1]);
  return autoscalerAnnotations(domains.find((domain) => domain !== undefined) ?? '');
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Converts a name for environment variables, which have no hyphens. */
function variablePrefix(word: string): string {
  return word.toUpperCase().replaceAll('-', '_');
}

/** Returns the names of OpenAPI documents. Component names are written like packages, with the domain reversed. */
function openApiNames(product: string, shortProduct: string, groupSuffix: string): DialectOpenApi {
  const domain = groupSuffix.split('.').reverse().join('.');
  return Object.freeze({
    title: capitalized(product),
    api: `${domain}.api`,
    apiExtensions: `${domain}.apiextensions-apiserver.pkg.apis.apiextensions`,
    apiRegistration: `${domain}.${shortProduct}-aggregator.pkg.apis.apiregistration`,
    meta: `${domain}.apimachinery.pkg.apis.meta`,
    runtime: `${domain}.apimachinery.pkg.runtime`,
    quantity: `${domain}.apimachinery.pkg.api.resource`,
    intOrString: `${domain}.apimachinery.pkg.util.intstr`,
    extensionPrefix: `x-${product}-`,
  });
}

/** The default dialect, with the names of the project's contract. */
export const orch: Dialect = defineDialect({
  name: 'orch',
  product: 'orch',
  groupSuffix: groupSuffixes.orch,
  labelDomain: 'orch.io',
});

/** The names that existing command-line tools and client libraries use. */
export const kubernetes: Dialect = defineDialect({
  name: 'kubernetes',
  product: 'kubernetes',
  groupSuffix: groupSuffixes.kubernetes,
  labelDomain: 'kubernetes.io',
  apiServerName: 'kube-apiserver',
  nodeAgentName: 'kubelet',
  shortProduct: 'kube',
  rootCaConfigMap: 'kube-root-ca.crt',
  commandLineName: 'kubectl',
  storeChecks: Object.freeze({ store: 'etcd', readiness: 'etcd-readiness' }),
  namespaces: Object.freeze({
    default: 'default',
    system: 'kube-system',
    public: 'kube-public',
    nodeLease: 'kube-node-lease',
  }),
});

/** The included dialects by name. */
export const dialects: ReadonlyMap<string, Dialect> = new Map(
  [orch, kubernetes].map((dialect) => [dialect.name, dialect]),
);

/** Returns a dialect that is given itself or by its name. @throws TypeError for an unknown name */
export function chosenDialect(choice: Dialect | string): Dialect {
  if (typeof choice !== 'string') return choice;
  const found = dialects.get(choice);
  if (found === undefined)
    throw new TypeError(`unknown dialect ${JSON.stringify(choice)}: one of ${[...dialects.keys()].join(', ')}`);
  return found;
}
