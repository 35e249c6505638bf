import{a,b,c}from"./chunk-QNM4E6XB.js";import"./chunk-HCWB2KDP.js";import"./chunk-TZJHIIUN.js";import"./chunk-DYMB5BLE.js";c();export{a as ClassTabs,b as default};
