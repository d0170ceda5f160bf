-- What a new shop sells.

INSERT INTO items (sku, name, description, cents) VALUES
  ('HAM-0001', 'Claw hammer', 'Forged steel head of 450 g on a hickory handle; pulls nails as well as it drives them.', 2490),
  ('HAM-0002', 'Club hammer', 'Heavy head of 1.2 kg for chisels, stakes and stubborn walls.', 2890),
  ('HAM-0003', 'Rubber mallet', 'Soft blows for paving, tiles and furniture that must not show them.', 1450),
  ('SAW-0001', 'Hand saw', 'Crosscut saw for wood, 500 mm, hardened teeth that stay sharp.', 1990),
  ('SAW-0002', 'Japanese pull saw', 'Cuts on the pull stroke: thin kerf, clean edge, little effort.', 3450),
  ('SAW-0003', 'Hacksaw', 'For metal and plastic pipes; blade of 300 mm included.', 1690),
  ('DRI-0001', 'Cordless drill', '18 V drill and driver with two speeds, two batteries and a charger.', 12900),
  ('DRI-0002', 'Set of wood drills', 'Eight brad-point drills, 3 to 10 mm, in a box.', 1790),
  ('DRI-0003', 'Set of masonry drills', 'Five carbide-tipped drills, 4 to 10 mm, for brick and concrete.', 1590),
  ('SCR-0001', 'Set of screwdrivers', 'Six screwdrivers, slotted and Phillips, with soft grips.', 2290),
  ('SCR-0002', 'Precision screwdrivers', 'Twenty-four bits for phones, glasses and watches, in an aluminium case.', 2690),
  ('WRE-0001', 'Adjustable wrench', 'Opens to 29 mm; one wrench for most nuts and bolts.', 1890),
  ('WRE-0002', 'Set of combination wrenches', 'Twelve wrenches from 6 to 22 mm, chrome vanadium steel.', 4990),
  ('PLI-0001', 'Combination pliers', 'Grips, bends and cuts wire; insulated handles.', 1990),
  ('PLI-0002', 'Needle-nose pliers', 'Long, fine jaws for electrical work and narrow places.', 1790),
  ('MEA-0001', 'Tape measure', 'Five metres, magnetic hook, millimetres and inches.', 890),
  ('MEA-0002', 'Spirit level', '600 mm level with three vials; accurate to half a millimetre a metre.', 2390),
  ('MEA-0003', 'Laser distance meter', 'Measures up to 40 m, areas and volumes too.', 4990),
  ('GLU-0001', 'Wood glue', 'Waterproof glue for joints indoors and out, 500 ml.', 990),
  ('SAN-0001', 'Orbital sander', '125 mm sander with dust box; leaves no swirls.', 6900),
  ('SAN-0002', 'Set of sandpaper', 'Forty sheets from coarse to fine.', 1190),
  ('CLA-0001', 'Bar clamp', 'Holds up to 300 mm; opens with one hand.', 1590),
  ('CHI-0001', 'Set of chisels', 'Four chisels for wood, 6 to 26 mm, with a roll of canvas.', 3990),
  ('GLO-0001', 'Work gloves', 'Leather palms, cotton backs, size 9.', 790);

INSERT INTO stock (sku, region, count)
  SELECT sku, column1, cents * column2 % 23 FROM items, (VALUES ('eu', 7), ('us', 5), ('asia', 3));

UPDATE stock SET count = 40 WHERE region = 'eu' AND sku IN ('HAM-0001', 'SAW-0001', 'MEA-0001');
UPDATE stock SET count = 0 WHERE sku = 'SAN-0001';
