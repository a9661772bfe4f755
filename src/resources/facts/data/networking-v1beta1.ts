// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"IPAddress","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"spec","type":"ref","omitempty":true,"number":2,"ref":"networking.v1beta1.IPAddressSpec"}]}
{"name":"IPAddressSpec","fields":[{"name":"parentRef","type":"ref","pointer":true,"omitempty":true,"required":true,"number":1,"ref":"networking.v1beta1.ParentReference"}]}
{"name":"ParentReference","fields":[{"name":"group","type":"string","omitempty":true,"number":1},{"name":"resource","type":"string","omitempty":true,"required":true,"number":2},{"name":"namespace","type":"string","omitempty":true,"number":3},{"name":"name","type":"string","omitempty":true,"required":true,"number":4}]}
{"name":"ServiceCIDR","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"spec","type":"ref","omitempty":true,"number":2,"ref":"networking.v1beta1.ServiceCIDRSpec"},{"name":"status","type":"ref","omitempty":true,"number":3,"ref":"networking.v1beta1.ServiceCIDRStatus"}]}
{"name":"ServiceCIDRSpec","fields":[{"name":"cidrs","type":"array","omitempty":true,"number":1,"items":{"type":"string"},"listType":"atomic"}]}
{"name":"ServiceCIDRStatus","fields":[{"name":"conditions","type":"array","omitempty":true,"number":1,"items":{"type":"ref","ref":"meta.v1.Condition"},"listType":"map","listMapKeys":["type"],"patchStrategy":"merge","patchMergeKey":"type"}]}
`;
