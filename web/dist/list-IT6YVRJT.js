import{a,b,c}from"./chunk-7JJZJXGP.js";import"./chunk-XA47TIO7.js";import"./chunk-7WZFKWZB.js";import"./chunk-DHUKS2GF.js";import"./chunk-N5A6VUJA.js";c();export{a as GuardianTabs,b as default};
