/** Descriptions of identity, access and admission; the format is that of `../descriptions.ts`. */
export const access = `
admissionregistration.AuditAnnotation: An annotation that a policy adds to the audit event of a request.
  key: Last part of the annotation's name. The name of the policy is its first part, so it is unique in the policy only.
  valueExpression: Expression in CEL for the value: a string, or null to add no annotation.

admissionregistration.ExpressionWarning: A problem that type checking found in an expression.
  fieldRef: Path of the expression, such as spec.validations[0].expression.
  warning: The problem, for people; it can have several lines.

admissionregistration.MatchCondition: A condition in CEL that a request must meet as well.
  name: Name of the condition, which appears in errors and metrics; unique in its list.
  expression: The expression. It sees object, oldObject, request and authorizer, and must return true or false.

admissionregistration.MatchResources: The requests that a policy or a binding is for. All parts must match.
  namespaceSelector: Selects by the labels of the object's namespace. Requests for cluster-scoped objects always match, but a Namespace is selected by its own labels. Default everything.
  objectSelector: Selects by the labels of the object, before or after the change. Default everything.
  resourceRules: The resources and operations, one of which must match.
  excludeResourceRules: Resources and operations that are left out, whatever resourceRules says.
  matchPolicy: Equivalent also matches requests for the same object in another group or version; Exact only those that a rule names. Default Equivalent.

admissionregistration.MutatingWebhook < admissionregistration.ValidatingWebhook: A webhook that may change objects before they are stored.
  reinvocationPolicy: IfNeeded calls the webhook again when another plugin has changed the object after it; Never does not. Default Never.

admissionregistration.MutatingWebhookConfiguration: Webhooks that may change or refuse objects before they are stored.
  webhooks: The webhooks, each with a name of its own.

admissionregistration.NamedRuleWithOperations < admissionregistration.RuleWithOperations: Operations on resources, limited to some names.
  resourceNames: Names of objects; empty for all names.

admissionregistration.ParamKind: The kind of the objects that a policy takes its parameters from.
  apiVersion: Group and version of the parameters, such as rules.example.com/v1.
  kind: Kind of the parameters.

admissionregistration.ParamRef: The parameters that a binding gives to its policy: an object by its name, or several by a selector.
  name: Name of the object with the parameters. Excludes selector.
  namespace: Namespace of the parameters. Default, for a namespaced kind of parameters: the namespace of the request.
  selector: Selects the objects with parameters by their labels; the policy runs once for each. Excludes name.
  parameterNotFoundAction: Allow or Deny: what happens when no parameters are found. Deny follows the failurePolicy of the policy. Required.

admissionregistration.Rule: API groups, versions and resources of requests.
  apiGroups: API groups; "*" alone stands for all.
  apiVersions: API versions; "*" alone stands for all.
  resources: Plural names, with a subresource after a slash: pods, pods/log, pods/*, */scale; "*" stands for all resources, and "*/*" for all with their subresources.
  scope: Cluster, Namespaced, or "*" for both. Default "*".

admissionregistration.RuleWithOperations < admissionregistration.Rule: Operations on resources.
  operations: CREATE, UPDATE, DELETE, CONNECT; "*" alone stands for all.

admissionregistration.ServiceReference < apiextensions.ServiceReference: The service of a webhook.

admissionregistration.TypeChecking: The result of checking the types in the expressions of a policy.
  expressionWarnings: The problems that were found, by expression.

admissionregistration.ValidatingAdmissionPolicy: Rules in CEL that requests must meet. It takes effect where a ValidatingAdmissionPolicyBinding applies it.
  spec: The rules and the requests they are for.
  status: The result of checking the rules.

admissionregistration.ValidatingAdmissionPolicyBinding: Applies a ValidatingAdmissionPolicy, with parameters, to a part of the requests.
  spec: The policy, its parameters and the requests.

admissionregistration.ValidatingAdmissionPolicyBindingSpec: What a binding applies, and where.
  policyName: Name of the policy. A binding of a policy that does not exist has no effect. Required.
  paramRef: The parameters, for a policy with a paramKind.
  matchResources: Narrows the requests further that the policy is for. Default all of them.
  validationActions: What follows when a validation fails: Deny refuses the request, Warn sends a warning to the client, Audit adds to the audit event. Deny and Warn exclude each other. Required.

admissionregistration.ValidatingAdmissionPolicySpec: The rules of a policy.
  paramKind: The kind of the parameters that the expressions see as params; absent for a policy without parameters.
  matchConstraints: The requests that the policy is for. Required.
  validations: The rules. A request must meet all. Required without auditAnnotations.
  failurePolicy: Fail or Ignore: what follows when an expression cannot be evaluated or the policy is not configured correctly. Default Fail.
  auditAnnotations: Annotations for the audit event. Required without validations.
  matchConditions: Conditions that a request must also meet for the policy to run; at most 64.
  variables: Expressions with names. Others use them as variables.NAME; each may use those before it.

admissionregistration.ValidatingAdmissionPolicyStatus: What the server found out about a policy.
  observedGeneration: The generation of the policy that was checked.
  typeChecking: The result of checking types; absent until they are checked.
  conditions: The conditions of the policy.

admissionregistration.ValidatingWebhook: A webhook that may refuse requests.
  name: Name of the webhook, a domain name with at least three parts, such as limits.example.com.
  clientConfig: How the webhook is called.
  rules: The requests that it is called for. One of the rules must match. Webhook configurations themselves never match.
  failurePolicy: Fail refuses the request when the webhook cannot be called; Ignore goes on without it. Default Fail.
  namespaceSelector: Selects by the labels of the object's namespace. Requests for cluster-scoped objects always match, but a Namespace is selected by its own labels. Default everything.
  sideEffects: Whether calls change something elsewhere: None, NoneOnDryRun, Some or Unknown. Only the first two are allowed in v1; with Some or Unknown a dry run that matches is refused.
  timeoutSeconds: Seconds after which a call has failed, 1 to 30. Default 10.
  admissionReviewVersions: Versions of AdmissionReview that the webhook reads, in order of preference. The server sends the first one that it knows.
  matchPolicy: Equivalent also calls the webhook for requests for the same object in another group or version, converted to the one of the rule; Exact does not. Default Equivalent.
  objectSelector: Selects by the labels of the object, before or after the change. Users who set the labels can avoid the webhook. Default everything.
  matchConditions: Conditions that a request must also meet for the webhook to be called; at most 64.

admissionregistration.ValidatingWebhookConfiguration: Webhooks that may refuse requests.
  webhooks: The webhooks, each with a name of its own.

admissionregistration.Validation: A rule of a policy.
  expression: Expression in CEL that must return true. It sees object, oldObject, request, params, namespaceObject, variables and authorizer.
  message: Text of the refusal, on one line. Required if the expression has line breaks.
  reason: Reason of the refusal, which decides the HTTP status: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge. Default Invalid.
  messageExpression: Expression in CEL that returns the text of the refusal. It has priority over message, which is used when it fails.

admissionregistration.Variable: An expression with a name.
  name: Name of the variable, an identifier of CEL; unique in the policy.
  expression: Expression in CEL for its value. It is evaluated when it is first used.

admissionregistration.WebhookClientConfig < apiextensions.WebhookClientConfig: How a webhook is called: by a URL or as a service.

authentication.BoundObjectReference: The object that a token is bound to. The token is no longer valid when the object is deleted.
  kind: Pod, Secret or Node.
  apiVersion: API version of the object.
  name: Name of the object.
  uid: UID of the object. A token is refused when another object has got the name.

authentication.SelfSubjectReview: Returns the authenticated user of the request. With impersonation this is the impersonated user.
  status: Filled in by the server.

authentication.SelfSubjectReviewStatus: Filled in by the server.
  userInfo: The user that makes the request.

authentication.TokenRequest: Requests a token of a service account, at the subresource token of the account.
  spec: The requested token.
  status: The token. Filled in by the server.

authentication.TokenRequestSpec: The requested token.
  audiences: Who the token is for. A service must accept only tokens that name it. Default the API server.
  boundObjectRef: An object with which the token ends.
  expirationSeconds: Requested lifetime in seconds, at least 600. The server may choose another one. Default 3600.

authentication.TokenRequestStatus: An issued token.
  token: The token.
  expirationTimestamp: When the token expires.

authentication.TokenReview: Authenticates a token and returns its user.
  spec: The token to check.
  status: Filled in by the server.

authentication.TokenReviewSpec: The token to check.
  token: The opaque bearer token.
  audiences: Audiences of the caller. The token must be for at least one of them. Default: the audiences of the API server.

authentication.TokenReviewStatus: Filled in by the server.
  authenticated: The token belongs to a known user.
  user: The user of the token.
  error: The reason why the token could not be checked.
  audiences: Audiences that the caller and the token share. A client that names audiences must check that one of them is in this list.

authentication.UserInfo: A user.
  username: Name that identifies the user among all active users.
  uid: Identifies the user over time: a user that is deleted and created again under the same name has another uid.
  groups: Groups of the user.
  extra: Additional information from the authenticator.

authorization.FieldSelectorAttributes: Field selector of a list, watch or deletecollection.
  rawSelector: The selector in query form; ignored by this server.
  requirements: Requirements of the selector. All must match.

authorization.LabelSelectorAttributes: Label selector of a list, watch or deletecollection.
  rawSelector: The selector in query form; ignored by this server.
  requirements: Requirements of the selector. All must match.

authorization.LocalSubjectAccessReview: Checks whether a user or group is allowed a request in one namespace.
  spec: The request to check.
  status: Filled in by the server.

authorization.NonResourceAttributes: A request for a path that is not a resource.
  path: Path of the URL.
  verb: HTTP method in lower case.

authorization.NonResourceRule: Paths that are not resources, and what is allowed on them.
  verbs: HTTP methods in lower case; "*" for all.
  nonResourceURLs: Paths; a trailing "*" matches everything.

authorization.ResourceAttributes: A resource request. Exactly one of resourceAttributes and nonResourceAttributes must be set.
  namespace: Namespace of the request; empty for all namespaces and for cluster-scoped kinds.
  verb: A verb of the API, or "*" for all.
  group: API group; empty for the core group, "*" for all.
  version: Version; "*" for all.
  resource: Plural name of the resource; "*" for all.
  subresource: Name of the subresource; empty for none.
  name: Name of the object; empty for all.
  fieldSelector: Field selector of a list, watch or deletecollection.
  labelSelector: Label selector of a list, watch or deletecollection.

authorization.ResourceRule: Resources, and what is allowed on them.
  verbs: Verbs; "*" for all.
  apiGroups: API groups; "*" for all.
  resources: Resources; "*" for all.
  resourceNames: Object names; empty for all.

authorization.SelfSubjectAccessReview: Checks whether the caller is allowed a request. Every user may check their own access.
  spec: The request to check.
  status: Filled in by the server.

authorization.SelfSubjectAccessReviewSpec: The request to check.
  resourceAttributes: A resource request. Exactly one of resourceAttributes and nonResourceAttributes must be set.
  nonResourceAttributes: A request for a path that is not a resource.

authorization.SelfSubjectRulesReview: Lists the permissions of the caller in a namespace. For user interfaces, not for authorization decisions.
  spec: The rules to list.
  status: Filled in by the server.

authorization.SelfSubjectRulesReviewSpec: The rules to list.
  namespace: The namespace to check.

authorization.SubjectAccessReview: Checks whether a user or group is allowed a request.
  spec: The request to check.
  status: Filled in by the server.

authorization.SubjectAccessReviewSpec: The request to check.
  resourceAttributes: A resource request. Exactly one of resourceAttributes and nonResourceAttributes must be set.
  nonResourceAttributes: A request for a path that is not a resource.
  user: Name of the user to check. At least one of user and groups must be set.
  groups: Groups of the user.
  extra: Additional information about the user.
  uid: Uid of the user.

authorization.SubjectAccessReviewStatus: Filled in by the server.
  allowed: The request would be allowed.
  reason: The reason why the request was allowed or denied.
  evaluationError: An error of the evaluation; the decision is valid nevertheless.
  denied: The request would be denied, whatever another authorizer decides. Neither allowed nor denied means no opinion.

authorization.SubjectRulesReviewStatus: Filled in by the server.
  resourceRules: Rules of the user for resources. The order has no meaning.
  nonResourceRules: Rules of the user for other paths. The order has no meaning.
  incomplete: The list may be incomplete: an authorizer cannot list its rules.
  evaluationError: An error of the evaluation.

certificates.CertificateSigningRequest: Requests a certificate from a signer, which issues it once the request is approved.
  spec: The request. Immutable.
  status: Whether the request is approved, and the certificate.

certificates.CertificateSigningRequestCondition < meta.Condition: A decision about a certificate signing request.
  type: Approved, Denied, Failed, or a type defined by another client.
  lastUpdateTime: Time when the condition last changed.
  lastTransitionTime: Time when the status last changed. Default: now, for a new type or another status.
  status: True, False or Unknown; Approved, Denied and Failed can only be True.

certificates.CertificateSigningRequestSpec: The request. Immutable.
  request: The request (PKCS#10) as PEM, in a block CERTIFICATE REQUEST.
  username: Name of the requester. Set by the server.
  uid: Uid of the requester. Set by the server.
  groups: Groups of the requester. Set by the server.
  usages: Requested key usages: at least one, without duplicates.
  extra: Additional information about the requester. Set by the server.
  signerName: The requested signer, as a domain and a path: example.com/signer.
  expirationSeconds: Requested duration of the validity, at least 600 seconds. The signer may issue another duration.

certificates.CertificateSigningRequestStatus: Whether the request is approved, and the certificate.
  conditions: Decisions on the request. Approved and Denied are mutually exclusive. Approved, Denied and Failed cannot be removed.
  certificate: The issued certificate as PEM, followed by its intermediate certificates. Written once.

certificates.ClusterTrustBundle: CA certificates that every user may read, for one signer or without a signer.
  spec: The trust anchors and their signer.

certificates.ClusterTrustBundleSpec: The trust anchors and their signer.
  signerName: The signer whose certificates the trust anchors verify. Optional and immutable. The name of the bundle starts with it, with colons for slashes.
  trustBundle: CA certificates as PEM: CERTIFICATE blocks without headers and without duplicates. Readers may reorder them and drop the text between them.

rbac.AggregationRule: Makes the rules the union of the rules of other cluster roles. Only the control plane then writes the rules.
  clusterRoleSelectors: Selects the aggregated cluster roles by label. A role must match at least one selector.

rbac.ClusterRole: Permissions in the whole cluster, or in the namespace of a role binding. Rules only allow; there are no deny rules.
  rules: Rules of the role: the requests that it allows.
  aggregationRule: Makes the rules the union of the rules of other cluster roles. Only the control plane then writes the rules.

rbac.ClusterRoleBinding: Grants a cluster role to users, groups and service accounts in the whole cluster.
  subjects: Users, groups and service accounts that get the role.
  roleRef: The role. Immutable.

rbac.PolicyRule: Verbs that are allowed on resources or paths.
  verbs: Allowed verbs; * for all.
  apiGroups: API groups of the resources; empty for the core group, * for all.
  resources: Plural names of resources, resource/subresource, */subresource for the subresource of all resources, or * for all.
  resourceNames: Object names; empty for all.
  nonResourceURLs: Paths that are not resources, with a trailing * for everything below. For cluster roles only, and not together with resources.

rbac.Role: Permissions in its namespace. Rules only allow; there are no deny rules.
  rules: Rules of the role: the requests that it allows.

rbac.RoleBinding: Grants a role to users, groups and service accounts in its namespace.
  subjects: Users, groups and service accounts that get the role.
  roleRef: The role. Immutable.

rbac.RoleRef: The role. Immutable.
  apiGroup: Group of the role.
  kind: Role or ClusterRole.
  name: Name of the role.

rbac.Subject: A user, a group or a service account.
  kind: User, Group or ServiceAccount.
  apiGroup: API group of the kind: empty for a ServiceAccount, the RBAC group otherwise.
  name: Name of the user, group or account. Case-sensitive.
  namespace: Namespace of a ServiceAccount.
`;
