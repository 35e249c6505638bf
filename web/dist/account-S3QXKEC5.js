import{a,b,c,d}from"./chunk-XCK6VCNE.js";import"./chunk-3JPINYCX.js";import"./chunk-SM5NGPOV.js";d();export{c as Security,a as default,b as identity};
