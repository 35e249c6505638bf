import{a,b,c}from"./chunk-DGJ7MZ42.js";import"./chunk-ZP4H7MFU.js";import"./chunk-BVGMJROM.js";import"./chunk-CLELO4DU.js";c();export{a as ClassTabs,b as default};
