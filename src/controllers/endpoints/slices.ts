import type { Dialect } from '../../foundation/index.js';
import type { Informer } from '../runtime/informer.js';
import type { SliceObject } from './objects.js';

/** Names of labels and annotations of endpoint slices, in a dialect. */
export interface SliceNames {
  /** Label with the name of the service. */
  readonly service: string;
  /** Label with the name of the controller of a slice. */
  readonly manager: string;
  /** Label of slices of services without a cluster IP. */
  readonly headless: string;
  /** Annotation with the time of the change that caused the endpoints. */
  readonly trigger: string;
  /** Label of Endpoints that are not mirrored. */
  readonly skipMirror: string;
  /** Annotation of Endpoints that elect a leader. */
  readonly leader: string;
}

/** Returns the names of labels and annotations. */
export const sliceNames = ({ labelDomain }: Dialect): SliceNames => ({
  service: `${labelDomain}/service-name`,
  manager: `endpointslice.${labelDomain}/managed-by`,
  headless: `service.${labelDomain}/headless`,
  trigger: `endpoints.${labelDomain}/last-change-trigger-time`,
  skipMirror: `endpointslice.${labelDomain}/skip-mirror`,
  leader: `control-plane.alpha.${labelDomain}/leader`,
});

/** Returns the key of the service of a slice; undefined when another controller has made it. */
export function serviceKeyOf(slice: SliceObject, names: SliceNames, manager: string): string | undefined {
  const { namespace = '', labels = {} } = slice.metadata;
  const service = labels[names.service];
  return labels[names.manager] === manager && service !== undefined ? `${namespace}/${service}` : undefined;
}

/** The slices that one controller has made. */
export class ManagedSlices {
  readonly #informer: Informer<SliceObject>;
  readonly #index: string;

  constructor(informer: Informer<SliceObject>, names: SliceNames, manager: string) {
    this.#informer = informer;
    this.#index = `serviceOf ${manager}`;
    informer.addIndex(this.#index, (slice) => {
      const key = serviceKeyOf(slice, names, manager);
      return key === undefined ? [] : [key];
    });
  }

  /** Returns the slices of a service that are not being deleted. */
  of(key: string): SliceObject[] {
    return this.#informer.find(this.#index, key).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }
}
