import{a,b,c}from"./chunk-7BIS3YWL.js";import"./chunk-JH34EF2E.js";import"./chunk-Q4IO4UAV.js";import"./chunk-NMUK7DXM.js";c();export{a as ClassTabs,b as default};
