import{a,b,c}from"./chunk-VYXQ3EDQ.js";import"./chunk-DYMB5BLE.js";c();export{a as default,b as useLate};
