import fc from 'fast-check';

export const name = fc.constantFrom('a', 'b', 'c');
export const port = fc.record({ port: fc.integer({ min: 1, max: 2 }), note: name }, { requiredKeys: ['port'] });

/** Fields of the spec of a Gadget. */
export const specFields = {
  tags: fc.uniqueArray(name, { maxLength: 3 }),
  steps: fc.array(name, { maxLength: 2 }),
  settings: fc.dictionary(name, name, { maxKeys: 3 }),
  sealed: fc.record({ left: name }),
  rooms: fc.uniqueArray(fc.record({ name, colour: name }, { requiredKeys: ['name'] }), {
    selector: (room) => room.name,
    maxLength: 3,
  }),
};
