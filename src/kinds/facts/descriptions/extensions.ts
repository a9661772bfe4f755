/** Descriptions of custom kinds and aggregated groups; the format is that of `../descriptions.ts`. */
export const extensions = `
apiextensions.CustomResourceColumnDefinition: A column of the Table form of a custom kind.
  name: Title of the column.
  type: Type of the cells: integer, number, string, boolean or date.
  format: Format of the cells.
  description: Meaning of the column.
  priority: 0 shows the column always; greater values only in wide output.
  jsonPath: JSON path of the value.

apiextensions.CustomResourceConversion: How objects are converted between versions.
  strategy: None: only the apiVersion changes. Webhook: the webhook converts.
  webhook: The webhook that converts.

apiextensions.CustomResourceDefinition: Defines a kind of custom objects. The server serves the kind once its names are accepted.
  spec: What the kind is.
  status: The state of the definition. Set by the server.

apiextensions.CustomResourceDefinitionCondition < meta.Condition: A condition of a definition, such as Established or NamesAccepted.

apiextensions.CustomResourceDefinitionNames: The names of a custom kind.
  plural: Plural name in lower case, as in paths.
  singular: Singular name in lower case. Default the kind in lower case.
  shortNames: Short names for the command line.
  kind: Name of the kind in CamelCase.
  listKind: Name of the list kind. Default the kind and List.
  categories: Groups of kinds that the kind belongs to.

apiextensions.CustomResourceDefinitionSpec: What the kind is.
  group: API group of the kind. The definition is named <plural>.<group>.
  names: The names of the kind.
  scope: Namespaced or Cluster.
  versions: The versions of the kind.
  conversion: How objects are converted between versions. Default None.
  preserveUnknownFields: Must be false. Schemas say which unknown fields are kept.

apiextensions.CustomResourceDefinitionStatus: The state of a definition.
  conditions: The states of the definition.
  acceptedNames: The names that are served.
  storedVersions: Versions in which objects may be stored. None of them can be removed from spec.versions.

apiextensions.CustomResourceDefinitionVersion: A version of a custom kind.
  name: Name of the version, such as v1 or v2beta1.
  served: Whether the version is served.
  storage: Whether objects are stored in this version; true for exactly one version.
  schema: The schema of this version.
  subresources: The subresources of this version.
  additionalPrinterColumns: Columns of the Table form. Default the age.
  deprecated: Whether requests to this version get a warning.
  deprecationWarning: Text of that warning.
  selectableFields: Fields that field selectors may use; at most 8.

apiextensions.CustomResourceSubresourceScale: Where the numbers of replicas are in an object.
  specReplicasPath: JSON path below .spec of the wanted replicas.
  statusReplicasPath: JSON path below .status of the current replicas.
  labelSelectorPath: JSON path below .spec or .status of a label selector as a string.

apiextensions.CustomResourceSubresourceStatus: An empty object.

apiextensions.CustomResourceSubresources: The subresources of a version.
  status: Makes the status a subresource: other writes do not change it.
  scale: Serves the numbers of replicas as a Scale.

apiextensions.CustomResourceValidation: The schema of a version.
  openAPIV3Schema: The schema of the objects.

apiextensions.ExternalDocumentation: A link to further documentation.
  description: What the documentation is about.
  url: Address of the documentation.

apiextensions.JSON: Any JSON value.
  raw: The value as JSON.

apiextensions.JSONSchemaProps: A JSON schema, in the dialect of OpenAPI 3.0.
  id: Not allowed.
  $schema: Not allowed.
  $ref: Not allowed.
  description: What the value means, for people.
  type: Type of the value: string, integer, number, boolean, array or object.
  format: Format of a string or number, such as date-time, int32 or uuid. Unknown formats are ignored.
  title: A short name of the value.
  default: The value of an absent field.
  maximum: The greatest allowed number.
  exclusiveMaximum: Whether maximum itself is not allowed.
  minimum: The least allowed number.
  exclusiveMinimum: Whether minimum itself is not allowed.
  maxLength: The greatest number of characters of a string.
  minLength: The least number of characters of a string.
  pattern: Regular expression that a string must match somewhere.
  maxItems: The greatest number of items of a list.
  minItems: The least number of items of a list.
  uniqueItems: Whether the items of a list must differ. Must be false here; use the list type set.
  multipleOf: A number of which the value must be a multiple.
  enum: The allowed values.
  maxProperties: The greatest number of fields of an object.
  minProperties: The least number of fields of an object.
  required: Names of fields that an object must have.
  items: Schema of the items of a list.
  allOf: Schemas that the value must all match.
  oneOf: Schemas of which the value must match exactly one.
  anyOf: Schemas of which the value must match at least one.
  not: A schema that the value must not match.
  properties: Schemas of the fields of an object, by name.
  additionalProperties: Schema of the values of fields that properties does not name. Excludes properties.
  patternProperties: Not allowed.
  dependencies: Not allowed.
  additionalItems: Not allowed.
  definitions: Not allowed.
  externalDocs: Further documentation of the value.
  example: An example of the value. It is not checked.
  nullable: Whether the value may be null. Default false.
  x-preserve-unknown-fields: Whether unknown fields of the object are kept. Only true is allowed.
  x-embedded-resource: Whether the value is a whole object, with apiVersion, kind and metadata.
  x-int-or-string: Whether the value is an integer or a string.
  x-list-map-keys: Fields that identify an item of a map list.
  x-list-type: How the list is merged: atomic (as a whole, the default), set (by value) or map (by keys).
  x-map-type: How the object is merged: granular (field by field, the default) or atomic (as a whole).
  x-validations: Rules in CEL that the value must meet.

apiextensions.JSONSchemaPropsOrArray: A JSON schema or a list of JSON schemas.
  schema: A schema.
  jSONSchemas: A list of schemas.

apiextensions.JSONSchemaPropsOrBool: A JSON schema or a boolean.
  allows: Whether any value is allowed.
  schema: A schema.

apiextensions.JSONSchemaPropsOrStringArray: A JSON schema or a list of strings.
  schema: A schema.
  property: Names of fields.

apiextensions.SelectableField: A field that field selectors may use.
  jsonPath: JSON path of the field, without list indices.

apiextensions.ServiceReference: A service of the cluster.
  namespace: Namespace of the service.
  name: Name of the service.
  path: Path of the request.
  port: Port. Default 443.

apiextensions.ValidationRule: A rule in CEL that a value must meet.
  rule: The expression. self is the value, oldSelf the value before a change. It must return true.
  message: Text of the error, on one line. Required if the rule has line breaks.
  messageExpression: Expression that returns the text of the error.
  reason: Reason of the error. Default FieldValueInvalid.
  fieldPath: Path of the reported field, relative to the value.
  optionalOldSelf: Whether a rule with oldSelf also runs without an old value; oldSelf is then an optional.

apiextensions.WebhookClientConfig: How a webhook is called: by a URL or as a service.
  service: Service of the webhook. Excludes url.
  caBundle: PEM certificates of the webhook's authority.
  url: URL of the webhook. Excludes service.

apiextensions.WebhookConversion: A webhook that converts objects between versions.
  clientConfig: How the webhook is called.
  conversionReviewVersions: Versions of ConversionReview that the webhook accepts, in order of preference.

apiregistration.APIService: A version of an API group, and the server that serves it.
  spec: The group, the version and their server.
  status: Whether the server can be reached.

apiregistration.APIServiceCondition < meta.Condition: A condition of an APIService. Available says whether its server can be reached.

apiregistration.APIServiceSpec: Who serves a version of an API group.
  service: The service of the server. Absent: this server.
  group: API group; empty for the core group.
  version: Version of the group.
  insecureSkipTLSVerify: Whether the certificate of the server is not checked. Excludes caBundle. Default false.
  caBundle: PEM certificates that the server's certificate is checked with. Default the system's.
  groupPriorityMinimum: Order of the group in discovery, 1 to 20000: greater values come first. Of the versions of a group the greatest counts.
  versionPriority: Order of the version in its group, 1 to 1000: greater values come first.

apiregistration.APIServiceStatus: The state of an APIService.
  conditions: The conditions of the APIService.

apiregistration.ServiceReference: The service of a server.
  namespace: Namespace of the service.
  name: Name of the service.
  port: Port of the service. Default 443.
`;
