/** A definition with two versions, as a generator for Kubernetes writes it. */
export const WIDGETS = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  creationTimestamp: null
  name: widgets.shop.example
spec:
  group: shop.example
  names: { kind: Widget, listKind: WidgetList, plural: widgets, singular: widget, shortNames: [wd] }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns:
        - { name: Color, type: string, jsonPath: .spec.color }
      schema:
        openAPIV3Schema:
          description: A thing to sell.
          type: object
          required: [spec]
          properties:
            apiVersion: { type: string }
            kind: { type: string }
            metadata: { type: object }
            spec:
              type: object
              required: [color]
              properties:
                color: { type: string, enum: [red, green] }
                size: { type: integer, minimum: 1, default: 1, description: The size. }
                port: { x-kubernetes-int-or-string: true }
                free: { type: object, x-kubernetes-preserve-unknown-fields: true }
                parts:
                  type: array
                  items:
                    type: object
                    required: [name]
                    properties:
                      name: { type: string }
                      count: { type: integer }
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
            status:
              type: object
              properties:
                ready: { type: boolean }
      subresources: { status: {} }
    - name: v1alpha1
      served: true
      storage: false
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { color: { type: string } } }
`;

/** A definition as an object, in the dialect of the project. */
export function widgetDefinition({ group = 'shop.example', conversion }: { group?: string; conversion?: object } = {}) {
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer' } } },
    },
  };
  return {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Namespaced',
      ...(conversion === undefined ? {} : { conversion }),
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
        { name: 'v1alpha1', served: true, storage: false, schema: { openAPIV3Schema: schema } },
      ],
    },
  };
}

/** Returns the error of a call that must fail. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return String(error);
  }
  throw new Error('the call succeeded');
}
