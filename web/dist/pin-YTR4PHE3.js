import{a,b,c}from"./chunk-Y5ZVKTYU.js";import"./chunk-DYMB5BLE.js";c();export{a as SetPIN,b as default};
