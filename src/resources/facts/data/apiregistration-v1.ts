// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"APIService","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"spec","type":"ref","omitempty":true,"number":2,"ref":"apiregistration.v1.APIServiceSpec"},{"name":"status","type":"ref","omitempty":true,"number":3,"ref":"apiregistration.v1.APIServiceStatus"}]}
{"name":"APIServiceCondition","fields":[{"name":"type","type":"string","required":true,"number":1},{"name":"status","type":"string","required":true,"number":2},{"name":"lastTransitionTime","type":"time","omitempty":true,"number":3,"nullable":true},{"name":"reason","type":"string","omitempty":true,"number":4},{"name":"message","type":"string","omitempty":true,"number":5}]}
{"name":"APIServiceSpec","fields":[{"name":"service","type":"ref","pointer":true,"omitempty":true,"number":1,"ref":"apiregistration.v1.ServiceReference"},{"name":"group","type":"string","omitempty":true,"number":2},{"name":"version","type":"string","omitempty":true,"number":3},{"name":"insecureSkipTLSVerify","type":"bool","omitempty":true,"number":4},{"name":"caBundle","type":"bytes","omitempty":true,"number":5,"listType":"atomic"},{"name":"groupPriorityMinimum","type":"int32","required":true,"number":7},{"name":"versionPriority","type":"int32","required":true,"number":8}]}
{"name":"APIServiceStatus","fields":[{"name":"conditions","type":"array","omitempty":true,"number":1,"items":{"type":"ref","ref":"apiregistration.v1.APIServiceCondition"},"listType":"map","listMapKeys":["type"],"patchStrategy":"merge","patchMergeKey":"type"}]}
{"name":"ServiceReference","fields":[{"name":"namespace","type":"string","omitempty":true,"number":1},{"name":"name","type":"string","omitempty":true,"number":2},{"name":"port","type":"int32","pointer":true,"omitempty":true,"number":3,"default":443}]}
`;
