import{a,b,c,d}from"./chunk-WFRKTMPV.js";import"./chunk-Y5ZVKTYU.js";import"./chunk-DYMB5BLE.js";d();export{c as Security,a as default,b as identity};
