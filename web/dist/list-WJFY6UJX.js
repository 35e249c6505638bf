import{a,b,c}from"./chunk-OILCZV4T.js";import"./chunk-LWLPZL5E.js";import"./chunk-EY42BZZZ.js";import"./chunk-RDVFBOJP.js";import"./chunk-BKMNMJ4E.js";c();export{a as GuardianTabs,b as default};
