import { atOnce, definedOnly, UNBOUNDED_WORK, type Steps, type Work } from '../../../../foundation/index.js';
import type { NamedObject, ViewSubresource } from '../../../../registry/index.js';

/** The part of an object that its `scale` subresource shows. */
interface Scaled {
  spec?: { replicas?: number | undefined } | undefined;
  readonly status?: { readonly replicas?: number | undefined } | undefined;
}

type ScaleObject = NamedObject & { readonly spec?: { readonly replicas?: number | undefined } | undefined };

/**
 * Returns the `scale` subresource of a kind with `spec.replicas` and `status.replicas`.
 *
 * @param selectorText makes the label selector of the counted pods, as a query; it throws ApiError when it is invalid
 */
export function scaleView<Item extends NamedObject & Scaled>(
  selectorText: (object: Item, work: Work) => Steps<string>,
): Pick<ViewSubresource<Item>, 'show' | 'showSteps' | 'write'> {
  function* showSteps(object: Item, _forWrite: boolean, work: Work): Steps<Omit<ScaleObject, 'apiVersion' | 'kind'>> {
    const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
    const replicas = object.spec?.replicas ?? 0;
    const selector = yield* selectorText(object, work);
    const view = {
      metadata: definedOnly({ name, namespace, uid, resourceVersion, creationTimestamp }),
      spec: replicas === 0 ? {} : { replicas },
      status: { replicas: object.status?.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
    };
    return view;
  }
  return {
    show: (object, forWrite) => atOnce(showSteps(object, forWrite, UNBOUNDED_WORK)),
    showSteps,
    write(object, view: ScaleObject) {
      // An applied intent without a spec says nothing about the replicas.
      if (view.spec !== undefined) object.spec = { ...object.spec, replicas: view.spec.replicas ?? 0 };
    },
  };
}
