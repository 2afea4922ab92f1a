;; Firmware written from firmware/ABI.md alone: on POPS(1,n) with the reverse permutation
;; every processor sends its packet straight to its destination in slot 0, and hears the
;; one group that its own packet goes to.
(module
  (memory (export "memory") 1)
  (func (export "starloom_abi") (result i32) (i32.const 3))

  ;; Puts a column of so many bytes at the next multiple of 64, notes its address in the
  ;; descriptor, which is at 1024, and returns where it ends.
  (func $column (param $at i32) (param $register i32) (param $bytes i32) (result i32)
    (local.set $at (i32.and (i32.add (local.get $at) (i32.const 63)) (i32.const -64)))
    (i32.store offset=1024 (local.get $register) (local.get $at))
    (i32.add (local.get $at) (local.get $bytes)))

  (func (export "starloom_attach") (param $cells i32) (param $payload i32) (param $rx i32) (param $tx i32) (result i32)
    (local $stride i32) (local $at i32)
    (local.set $stride (i32.add (i32.const 16) (i32.and (i32.add (local.get $payload) (i32.const 7)) (i32.const -8))))
    (i32.store offset=1024 (i32.const 0) (i32.const 3))              ;; abi
    (i32.store offset=1024 (i32.const 4) (local.get $cells))
    ;; a record: no state, the heads of both FIFOs
    (i32.store offset=1024 (i32.const 16) (i32.mul (local.get $stride) (i32.const 2)))
    (i32.store offset=1024 (i32.const 20) (i32.const 0))             ;; rx
    (i32.store offset=1024 (i32.const 24) (local.get $stride))       ;; tx
    (i32.store offset=1024 (i32.const 36) (local.get $stride))
    (i32.store offset=1024 (i32.const 40) (local.get $rx))
    (i32.store offset=1024 (i32.const 44) (local.get $tx))
    (i32.store offset=1024 (i32.const 48) (local.get $payload))
    (i32.store offset=1024 (i32.const 188) (i32.const 1))            ;; listen_slots
    (local.set $at (call $column (i32.const 2048) (i32.const 168) (i32.mul (local.get $cells) (i32.const 8))))    ;; processor
    (local.set $at (call $column (local.get $at) (i32.const 172) (i32.mul (local.get $cells) (i32.const 4))))     ;; workload
    (local.set $at (call $column (local.get $at) (i32.const 176) (i32.mul (local.get $cells) (i32.const 4))))     ;; calls
    (local.set $at (call $column (local.get $at) (i32.const 180) (local.get $cells)))                             ;; rx_status
    (local.set $at (call $column (local.get $at) (i32.const 184) (i32.mul (local.get $cells) (i32.const 2))))     ;; listen
    (local.set $at (call $column (local.get $at) (i32.const 12) (i32.mul (local.get $cells) (i32.mul (local.get $stride) (i32.const 2))))) ;; record
    (local.set $at (call $column (local.get $at) (i32.const 28)
      (i32.mul (i32.mul (local.get $cells) (local.get $stride)) (i32.sub (local.get $rx) (i32.const 1)))))        ;; rx_more
    (local.set $at (call $column (local.get $at) (i32.const 32)
      (i32.mul (i32.mul (local.get $cells) (local.get $stride)) (i32.sub (local.get $tx) (i32.const 1)))))        ;; tx_more
    (drop (memory.grow (i32.shr_u (local.get $at) (i32.const 16))))
    (i32.const 1024))

  ;; Register k of the descriptor, and what lies at an address of it for a cell.
  (func $register (param $k i32) (result i32) (i32.load offset=1024 (local.get $k)))
  (func $of (param $k i32) (param $cell i32) (param $bytes i32) (result i32)
    (i32.add (call $register (local.get $k)) (i32.mul (local.get $cell) (local.get $bytes))))

  ;; The cell at a place of the list of calls, whose handler runs now.
  (func $begin (param $place i32) (result i32)
    (i32.store offset=1024 (i32.const 8) (local.get $place))         ;; current
    (i32.load (call $of (i32.const 176) (local.get $place) (i32.const 4))))

  (func (export "starloom_start") (param $count i32)
    (local $place i32) (local $cell i32)
    (block $end (loop $next
      (br_if $end (i32.eq (local.get $place) (local.get $count)))
      (local.set $cell (call $begin (local.get $place)))
      (i32.store16 (call $of (i32.const 184) (local.get $cell) (i32.const 2))
        (i32.load (call $of (i32.const 172) (local.get $cell) (i32.const 4))))
      (local.set $place (i32.add (local.get $place) (i32.const 1)))
      (br $next))))

  (func (export "starloom_slot") (param $count i32) (param $slot i32)
    (local $place i32) (local $cell i32) (local $nic i32) (local $frame i32) (local $to i32)
    (block $end (loop $next
      (br_if $end (i32.eq (local.get $place) (local.get $count)))
      (local.set $cell (call $begin (local.get $place)))
      (local.set $nic (call $of (i32.const 168) (local.get $cell) (i32.const 8)))
      (if (i32.eqz (local.get $slot)) (then
        (local.set $to (i32.load (call $of (i32.const 172) (local.get $cell) (i32.const 4))))
        (local.set $frame (i32.add (call $of (i32.const 12) (local.get $cell) (call $register (i32.const 16))) (call $register (i32.const 24))))
        (i64.store (local.get $frame) (i64.const 0x80000))           ;; data, 8 bytes of payload
        (i32.store offset=8 (local.get $frame) (local.get $to))      ;; destination
        (i32.store offset=12 (local.get $frame) (i32.shl (local.get $to) (i32.const 16))) ;; tag 0, port
        (i32.store offset=16 (local.get $frame) (i32.add (call $register (i32.const 52)) (local.get $cell))) ;; origin
        (i32.store offset=20 (local.get $frame) (local.get $to))
        (i32.store8 offset=5 (local.get $nic) (i32.const 1))))       ;; tx_count
      (if (i32.load8_u offset=4 (local.get $nic)) (then              ;; rx_count
        (i32.store8 offset=4 (local.get $nic) (i32.const 0))
        (i32.store8 offset=7 (local.get $nic) (i32.const 1))))       ;; done
      (local.set $place (i32.add (local.get $place) (i32.const 1)))
      (br $next)))))
