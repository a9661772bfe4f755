// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"Overhead","fields":[{"name":"podFixed","type":"map","omitempty":true,"number":1,"resourceList":true,"values":{"type":"quantity"}}]}
{"name":"RuntimeClass","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"handler","type":"string","required":true,"number":2},{"name":"overhead","type":"ref","pointer":true,"omitempty":true,"number":3,"ref":"node.v1.Overhead"},{"name":"scheduling","type":"ref","pointer":true,"omitempty":true,"number":4,"ref":"node.v1.Scheduling"}]}
{"name":"Scheduling","fields":[{"name":"nodeSelector","type":"map","omitempty":true,"number":1,"values":{"type":"string"},"mapType":"atomic"},{"name":"tolerations","type":"array","omitempty":true,"number":2,"items":{"type":"ref","ref":"core.v1.Toleration"},"listType":"atomic"}]}
`;
