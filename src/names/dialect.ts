/**
 * A dialect: every product name and product domain that the API spells, in one value.
 *
 * No other folder spells such a name. `orch` is the dialect of the project's contract; `kubernetes` is the one that
 * existing clients speak; {@link defineDialect} makes a third.
 *
 * @module
 */

/** The well-known namespaces of a server. */
export interface DialectNamespaces {
  /** Where a request without a namespace works; exists from the start and cannot be deleted. */
  readonly default: string;
  /** Namespace of the system's own objects. */
  readonly system: string;
  /** Namespace that everybody may read. */
  readonly public: string;
  /** Namespace of the node agents' heartbeat leases. */
  readonly nodeLease: string;
}

/** The four signers that the platform itself knows. */
export interface DialectSigners {
  readonly apiServerClient: string;
  readonly apiServerClientNodeAgent: string;
  readonly nodeAgentServing: string;
  readonly legacyUnknown: string;
}

/** The secret types that the platform itself knows; each demands keys of its own. */
export interface DialectSecretTypes {
  readonly serviceAccountToken: string;
  readonly dockercfg: string;
  readonly dockerConfigJson: string;
  readonly basicAuth: string;
  readonly sshAuth: string;
  readonly tls: string;
  readonly bootstrapToken: string;
}

/** What a process finds in a pod of its own server. */
export interface DialectPod {
  /** Environment variable with the server's host. */
  readonly hostVariable: string;
  /** Environment variable with the server's port. */
  readonly portVariable: string;
  /** Folder with the files `token`, `ca.crt` and `namespace`. */
  readonly serviceAccountFolder: string;
}

/** Names in OpenAPI documents. */
export interface DialectOpenApi {
  /** Title of the documents. */
  readonly title: string;
  /** What the component names of the platform's kinds start with: `<api>.core.v1.ConfigMap`. */
  readonly api: string;
  /** What the component names of the types that all kinds share start with: `<meta>.v1.ObjectMeta`. */
  readonly meta: string;
  /** What the component names of types without a version start with: `<runtime>.RawExtension`. */
  readonly runtime: string;
  /** What the component name of quantities starts with: `<quantity>.Quantity`. */
  readonly quantity: string;
  /** What the component name of numbers or strings starts with: `<intOrString>.IntOrString`. */
  readonly intOrString: string;
  /** What vendor extensions start with, up to the last hyphen. */
  readonly extensionPrefix: string;
}

/** Every identifier that carries a product name. Values are final strings: nothing is composed at the point of use. */
export interface Dialect {
  /** Name of the dialect, as `--dialect` takes it. */
  readonly name: string;
  /** Bare product word; also the finalizer that a namespace's `spec.finalizers` starts with. */
  readonly product: string;
  /** The product word as texts shorten it. */
  readonly shortProduct: string;
  /** Suffix of the platform's API groups: `coordination` is served as `coordination.<groupSuffix>`. */
  readonly groupSuffix: string;
  /** Domain of the platform's labels, annotations, finalizers and signers. */
  readonly labelDomain: string;
  /** Name of the server's own program, as it appears in signer names. */
  readonly apiServerName: string;
  /** Name of the command-line tool: the manager of its applies. */
  readonly commandLineName: string;
  /** Name of the node agent. */
  readonly nodeAgentName: string;
  readonly namespaces: DialectNamespaces;
  readonly signers: DialectSigners;
  /** Signer of the certificates by which clients reach the server: trust bundles name it, and nobody can ask it for a certificate. */
  readonly apiServerServingSigner: string;
  readonly secretTypes: DialectSecretTypes;
  /** Media type of the protobuf encoding. */
  readonly protobufMediaType: string;
  /** Bytes that open every protobuf body. */
  readonly protobufMagic: readonly [number, number, number, number];
  /** Private claim of service-account tokens. */
  readonly tokenClaim: string;
  /** Environment variable that hands cluster data to a credential plugin. */
  readonly execInfoVariable: string;
  /** Environment variable that lists the client configuration files. */
  readonly clientConfigVariable: string;
  /** Where the client configuration of a user is, below the home folder. */
  readonly clientConfigFile: string;
  readonly pod: DialectPod;
  /** Label that every namespace carries with its own name. */
  readonly namespaceNameLabel: string;
  /** Annotation of the BOOKMARK that ends the initial events of a watch. */
  readonly initialEventsEndAnnotation: string;
  /** WebSocket subprotocol prefix for a bearer token, and the suffix of the stream subprotocols. */
  readonly webSocketBearerPrefix: string;
  /** The client whose applies on its own side leave their intent in an annotation, which server-side apply takes over. */
  readonly clientSideApply: { readonly manager: string; readonly annotation: string };
  /** Name of the ConfigMap by which every namespace is told the server's certificate authority. */
  readonly rootCaConfigMap: string;
  /** Annotation that says in words what an object is for. */
  readonly descriptionAnnotation: string;
  /** Finalizers without a domain that are allowed by name. */
  readonly standardFinalizers: readonly string[];
  readonly openApi: DialectOpenApi;
}

/** What {@link defineDialect} needs; everything else is derived and may be overridden. */
export interface DialectOptions extends Partial<Omit<Dialect, 'name' | 'product' | 'groupSuffix' | 'labelDomain'>> {
  readonly name: string;
  readonly product: string;
  readonly groupSuffix: string;
  readonly labelDomain: string;
}

/**
 * Makes a dialect from a few words.
 *
 * @param options the words, and overrides for what is not derived from them as wanted
 * @returns a frozen dialect, to be passed to `new ApiServer({ dialect })`
 * @throws TypeError when a word is empty or a domain is not a DNS subdomain
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
    descriptionAnnotation: `${labelDomain}/description`,
    standardFinalizers: Object.freeze([product, 'orphan', 'foregroundDeletion']),
    openApi: openApiNames(product, groupSuffix),
    ...options,
  });
}

/** A word as environment variables spell it: they have no hyphens. */
function variablePrefix(word: string): string {
  return word.toUpperCase().replaceAll('-', '_');
}

/** Names of OpenAPI components are written like packages: the domain from its end. */
function openApiNames(product: string, groupSuffix: string): DialectOpenApi {
  const domain = groupSuffix.split('.').reverse().join('.');
  return Object.freeze({
    title: product.charAt(0).toUpperCase() + product.slice(1),
    api: `${domain}.api`,
    meta: `${domain}.apimachinery.pkg.apis.meta`,
    runtime: `${domain}.apimachinery.pkg.runtime`,
    quantity: `${domain}.apimachinery.pkg.api.resource`,
    intOrString: `${domain}.apimachinery.pkg.util.intstr`,
    extensionPrefix: `x-${product}-`,
  });
}

/** The default dialect: the names of the project's contract. */
export const orch: Dialect = defineDialect({
  name: 'orch',
  product: 'orch',
  groupSuffix: 'orch.io',
  labelDomain: 'orch.io',
});

/** The names that existing command-line tools and client libraries use. */
export const kubernetes: Dialect = defineDialect({
  name: 'kubernetes',
  product: 'kubernetes',
  groupSuffix: 'k8s.io',
  labelDomain: 'kubernetes.io',
  apiServerName: 'kube-apiserver',
  nodeAgentName: 'kubelet',
  shortProduct: 'kube',
  rootCaConfigMap: 'kube-root-ca.crt',
  commandLineName: 'kubectl',
  namespaces: Object.freeze({
    default: 'default',
    system: 'kube-system',
    public: 'kube-public',
    nodeLease: 'kube-node-lease',
  }),
});

/** The dialects that ship, by name. */
export const dialects: ReadonlyMap<string, Dialect> = new Map(
  [orch, kubernetes].map((dialect) => [dialect.name, dialect]),
);

/** An API group of the platform itself, whose full name depends on the dialect. */
export interface SystemGroup {
  /** First part of the group's name, e.g. `coordination` or `rbac.authorization`. */
  readonly system: string;
}

/** Marks a group as the platform's own: `systemGroup('coordination')` is served as `coordination.<groupSuffix>`. */
export function systemGroup(system: string): SystemGroup {
  return Object.freeze({ system });
}

/** The full name of a group in a dialect; the core group is the empty string. */
export function groupName(group: string | SystemGroup, dialect: Dialect): string {
  return typeof group === 'string' ? group : `${group.system}.${dialect.groupSuffix}`;
}
