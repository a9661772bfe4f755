import type { NamedObject, Strategy } from '../../../registry/index.js';

type WithStatus = NamedObject & { status?: object | undefined };

/**
 * Returns the hooks of a kind whose status only the subresource writes: a new object has an empty status, an update
 * keeps the current one.
 */
export function ownStatus<Item extends WithStatus>(): Required<
  Pick<Strategy<Item>, 'prepareForCreate' | 'prepareForUpdate'>
> {
  return {
    prepareForCreate(object) {
      object.status = {} as typeof object.status;
    },
    prepareForUpdate(object, old) {
      if (old.status === undefined) delete object.status;
      else object.status = old.status as typeof object.status;
    },
  };
}
